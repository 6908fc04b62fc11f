// Small steps as an agent's program takes them. Variables come round again, so the heap stays about as large.

const words = 'alpha beta gamma delta epsilon meeting planning calendar weekly review'.split(' ');
const variables = 64;

export function cellOf(step: number): string {
  const name = step % variables;
  const word = words[step % words.length];
  const kinds = [
    `var x${name} = ${step} * 20; x${name} + 1`,
    `function f${name}(a, b) { return a.map((v) => v * b).reduce((p, c) => p + c, 0) } f${name}([1, 2, 3], ${step})`,
    `var m${name} = new Map(); for (let k = 0; k < 10; k++) m${name}.set('${word}' + k, { title: 't' + k, day: k }); m${name}.size`,
    `var C${name} = class { constructor(t) { this.t = t; this.n = ${step} } get name() { return this.t + this.n } move(d) { this.n += d; return this } }; var c${name} = new C${name}('${word}'); c${name}.move(3).name`,
    `print('${word} and more', ${step}); out.length`,
    `var s${name} = JSON.stringify({ a: [1, 2, 3], b: '${word}', when: ${step} }); s${name}.length`,
    `globalThis.total = (globalThis.total ?? 0) + ${step}; total`,
    `var p${name} = (async () => { await null; return ${step} })(); for (const w of ['a', 'b', 'c']) print(w); 1`,
  ];
  return kinds[step % kinds.length] ?? '';
}
