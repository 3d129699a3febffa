// Package report writes what runs and advice come to as one HTML page that needs nothing
// else: no network, no scripts. Charts are SVG in the page; it is readable on a phone and
// in print, dark and light as the reader's system is.
//
//	scenario.Report --Scenario--> page
//	advise.Report   --Advice----> page
//
// Reading order: page.go with page.html, chart.go, scenario.go, advice.go.
package report
