// The parts of the site that can be checked without building it: links and anchors, the way to the root, the files for models.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { contents } from '../../scripts/docs/contents.ts';
import { anchorsOf, linksIn, mapLinks } from '../../scripts/docs/links.ts';
import { listed } from '../../scripts/docs/llms.ts';
import { makeRelative, missingIn, placeholder } from '../../scripts/docs/relative-base.ts';

it('finds links and headings outside of code, also over the end of a line', () => {
  const text =
    '# A `b`: C_D\n\n[one\ntwo](x.md#y) `[no](z.md)`\n\n```md\n# No\n[no](z.md)\n```\n\n## A `b`: C_D\n![p](q.svg)\n';
  expect(linksIn(text)).toEqual([
    { line: 3, target: 'x.md#y' },
    { line: 12, target: 'q.svg' },
  ]);
  expect([...anchorsOf(text)]).toEqual(['a-b-c_d', 'a-b-c_d-1']);
  expect(mapLinks(text, (whole) => whole)).toBe(text);
});

it('makes a site work under any path', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-site-'));
  try {
    mkdirSync(join(folder, 'guides'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(
      join(folder, 'guides/one.html'),
      `<html><head></head><a href="${placeholder}two.html#x">t</a><a href="${placeholder}none.html">n</a><script>const s=JSON.parse("{\\"base\\":\\"${placeholder}\\"}");const b="${placeholder}";</script></html>`,
    );
    writeFileSync(join(folder, 'two.html'), `<html><head></head><a href="${placeholder}guides/one.html">o</a></html>`);
    writeFileSync(join(folder, 'assets/a.js'), `const b="${placeholder}",p=\`${placeholder}assets/x\`;`);
    writeFileSync(
      join(folder, 'assets/@localSearchIndexroot.a.js'),
      `const e='{"0":"${placeholder}two.html"}';export{e as default};`,
    );
    makeRelative(folder);
    const page = readFileSync(join(folder, 'guides/one.html'), 'utf8');
    expect(page).toContain('href="../two.html#x"');
    expect(page).toContain('new URL("../",location.href)');
    expect(page).toContain('\\"base\\":\\""+globalThis.__statekSite+"\\"');
    expect(readFileSync(join(folder, 'assets/a.js'), 'utf8')).toBe(
      'const b=(globalThis.__statekSite+""),p=(globalThis.__statekSite+`assets/x`);',
    );
    expect(readFileSync(join(folder, 'assets/@localSearchIndexroot.a.js'), 'utf8')).toBe(
      `const e=('{"0":"${placeholder}two.html"}').replaceAll("${placeholder}",globalThis.__statekSite);export{e as default};`,
    );
    expect(missingIn(folder)).toEqual(['guides/one.html: none.html']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('tells models what every page is about', () => {
  const lines = listed().split('\n');
  for (const { path } of contents.flatMap((section) => section.pages))
    expect(lines.find((line) => line.includes(`](${path}): `))).toMatch(/: .{20,}$/);
});
