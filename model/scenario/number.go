package scenario

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// Everything here gives the same bits on any machine: the standard library's Exp, Log
// and Pow do not everywhere, nor do sums of products where a compiler may fuse them.

// scale maps 64 random bits to 0..n-1. Its bias, n in 2^64, is beyond notice.
func scale(random, n uint64) uint64 {
	hi, _ := bits.Mul64(random, n)
	return hi
}

// mix is a bijection of 64-bit words whose values look random (the finalizer of
// splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// hashName gives a name's hash (FNV-1a), by which random numbers for different things
// are kept apart.
func hashName(seed uint64, parts ...string) uint64 {
	h := uint64(14695981039346656037)
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint64(p[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	return mix(h ^ mix(seed))
}

// unit maps random bits to [0, 1).
func unit(random uint64) float64 { return float64(random>>11) / (1 << 53) }

const ln2 = 0.693147180559945309417232121458

// logarithm is the natural logarithm of a normal number above 0: the argument is brought
// near 1, where the series of the inverse hyperbolic tangent converges fast.
func logarithm(x float64) float64 {
	m, e := math.Frexp(x) // 0.5 <= m < 1
	if m < math.Sqrt2/2 {
		m, e = float64(m*2), e-1
	}
	t := float64(m-1) / float64(m+1)
	square := float64(t * t)
	sum := 0.0
	for k := 21; k >= 1; k -= 2 {
		sum = float64(sum*square) + 1/float64(k)
	}
	return float64(float64(2*t)*sum) + float64(float64(e)*ln2)
}

// exponential is e to the power of x, for |x| below 700.
func exponential(x float64) float64 {
	n := math.Round(float64(x / ln2))
	r := x - float64(n*ln2)
	sum := 1.0
	for k := 18; k >= 1; k-- {
		sum = 1 + float64(float64(sum*r)/float64(k))
	}
	return math.Ldexp(sum, int(n))
}

// zipf draws ranks 0..n-1 with probabilities in proportion to (rank+1)^-exponent, by
// rejection-inversion: W. Hörmann, G. Derflinger, "Rejection-inversion to generate
// variates from monotone discrete distributions", 1996. It needs no table and takes the
// same time for any n.
type zipf struct {
	n           uint64
	exponent    float64
	first, last float64 // the integral of the hat at 1.5 less its first bar, and at n+0.5
	squeeze     float64
}

func newZipf(n int64, exponent float64) *zipf {
	z := &zipf{n: uint64(max(n, 1)), exponent: exponent}
	z.first = z.integral(1.5) - 1
	z.last = z.integral(float64(z.n) + 0.5)
	z.squeeze = 2 - z.inverse(float64(z.integral(2.5)-z.power(2)))
	return z
}

// power is x^-exponent.
func (z *zipf) power(x float64) float64 { return exponential(float64(-z.exponent * logarithm(x))) }

// integral is that of power, with a constant that makes it 0 at 1.
func (z *zipf) integral(x float64) float64 {
	l := logarithm(x)
	return float64(l * growth(float64((1-z.exponent)*l)))
}

// inverse is that of integral.
func (z *zipf) inverse(y float64) float64 {
	t := max(float64(y*(1-z.exponent)), -1)
	return exponential(float64(y * shrink(t)))
}

// growth is (e^x - 1) / x, also near 0.
func growth(x float64) float64 {
	if math.Abs(x) > 1e-4 {
		return float64(exponential(x)-1) / x
	}
	return 1 + float64(float64(x/2)*(1+float64(x/3)))
}

// shrink is log(1 + x) / x, also near 0.
func shrink(x float64) float64 {
	if math.Abs(x) > 1e-4 {
		return float64(logarithm(max(1+x, math.SmallestNonzeroFloat64)) / x)
	}
	return 1 - float64(x*(0.5-float64(x/3)))
}

// draw returns a rank.
func (z *zipf) draw(r *rand.PCG) uint64 {
	if z.n == 1 {
		return 0
	}
	for {
		u := z.last + float64(unit(r.Uint64())*float64(z.first-z.last))
		x := z.inverse(u)
		k := min(max(math.Floor(x+0.5), 1), float64(z.n))
		if float64(k-x) <= z.squeeze || u >= float64(z.integral(float64(k+0.5))-z.power(k)) {
			return uint64(k) - 1
		}
	}
}

// spread is a permutation of 0..n-1 that looks random: four rounds of a Feistel network
// over the next even number of bits, gone round again where it leaves the range.
type spread struct {
	n, salt uint64
	half    int // bits
}

func newSpread(n, salt uint64) spread {
	n = max(n, 1)
	return spread{n, salt, max((bits.Len64(n-1)+1)/2, 1)}
}

func (s spread) at(k uint64) uint64 {
	mask := uint64(1)<<s.half - 1
	for {
		left, right := k>>s.half, k&mask
		for round := range uint64(4) {
			left, right = right, left^mix(right^s.salt+round)&mask
		}
		if k = left<<s.half | right; k < s.n {
			return k
		}
	}
}
