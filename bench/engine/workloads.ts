// Ordinary code of the kinds an agent writes; each takes a few milliseconds, so that even on a busy machine some runs are undisturbed.

export const workloads: Readonly<Record<string, string>> = {
  recursion: 'const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); return fib(20)',
  loop: 'let s = 0; for (let i = 0; i < 60_000; i++) s = (s + i * 7) | 0; return s',
  strings:
    "let a = ''; for (let i = 0; i < 6_000; i++) { a += String.fromCharCode(97 + (i % 26)) + i; if (a.length > 2000) a = a.slice(1000) } return a.split('1').join('x').toUpperCase().length",
  json: "const o = Array.from({ length: 300 }, (_, i) => ({ id: i, name: 'n' + i, tags: ['a', 'b'], v: i / 3 })); let n = 0; for (let i = 0; i < 2; i++) n += JSON.stringify(JSON.parse(JSON.stringify(o))).length; return n",
  sort: 'let r = 12345; const b = Array.from({ length: 3_000 }, () => (r = (r * 1103515245 + 12345) & 0x7fffffff)); return b.sort((x, y) => x - y)[5]',
  maps: "const m = new Map(); for (let i = 0; i < 6_000; i++) m.set('k' + (i % 5000), i); let t = 0; for (const [, v] of m) t += v; return t",
  regexps:
    "let c = 0; const x = 'the quick brown fox jumps over the lazy dog '.repeat(40); for (let i = 0; i < 6; i++) c += x.replace(/(\\w+) (\\w+)/g, '$2 $1').match(/[aeiou]\\w/g).length; return c",
  objects:
    'class P { constructor(x, y) { this.x = x; this.y = y } add(o) { return new P(this.x + o.x, this.y + o.y) } } let p = new P(0, 0); const q = new P(1, 2); for (let i = 0; i < 6_000; i++) p = p.add(q); return p.x + p.y',
  arrays:
    'let z = 0; for (let k = 0; k < 6; k++) z += Array.from({ length: 2000 }, (_, i) => i).map((x) => x * 2).filter((x) => x % 3 === 0).reduce((a, b) => a + b, 0); return z',
};
