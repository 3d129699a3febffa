package main

import (
	"fmt"
	"os"

	"applysim/experiments/recorded"
)

func main() {
	for _, d := range os.Args[1:] {
		fsys := os.DirFS(d)
		dirs, err := recorded.Find(fsys, ".")
		if err != nil {
			fmt.Println(err)
		}
		for _, c := range dirs {
			k, err := recorded.Open(fsys, c)
			if err != nil {
				fmt.Println(c, err)
				continue
			}
			func() {
				defer func() {
					if e := recover(); e != nil {
						fmt.Println(k.Name, "PANIC", e)
						if os.Getenv("P") != "" {
							panic(e)
						}
					}
				}()
				r, err := k.Verify()
				if err != nil {
					fmt.Println(k.Name, "ERROR", err)
					return
				}
				fmt.Println(r.Line())
				if len(r.StateDifferences) > 0 && os.Getenv("S") != "" {
					for _, s := range r.StateDifferences {
						fmt.Println("   ", s)
					}
				}
			}()
		}
	}
}
