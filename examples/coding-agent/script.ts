// What a model would write, in both languages: it looks, changes a file, learns from the compiler what it has overlooked, and checks.
import { scriptedModel, type ScriptedModel } from 'statek/testing';
import { code } from '../models.ts';

export const scripts: Readonly<Record<'typescript' | 'python', ScriptedModel>> = {
  typescript: scriptedModel([
    code('ts', "print(repository.search('parsePrice'));", "print(repository.read('src/price.ts'));"),
    code(
      'ts',
      'const path = "src/price.ts";',
      "repository.replace(path, '(text: string)', \"(text: string, decimal: '.' | ',')\");",
      "repository.replace(path, 'Number.parseFloat(text)', \"Number(text.replaceAll(decimal === '.' ? ',' : '.', '').replace(decimal, '.'))\");",
      'repository.replace(path, \'"12.50"\', \'"12.50", or "12,50" where decimals follow a comma\');',
      'print(await checkTypes());',
    ),
    // The compiler has found the caller.
    code(
      'ts',
      "repository.replace('src/cart.ts', '(prices: string[])', \"(prices: string[], decimal: '.' | ',')\");",
      "repository.replace('src/cart.ts', 'parsePrice(price)', 'parsePrice(price, decimal)');",
      'const errors = await checkTypes();',
      "const tries = [await tryOut(path, \"parsePrice('1.234,50', ',')\"), await tryOut(path, \"parsePrice('12.50', '.')\")];",
      'print(errors.length, tries);',
    ),
    code('ts', "exit('parsePrice and total take the separator of decimals.')"),
  ]),
  python: scriptedModel([
    code(
      'python',
      'for line in repository.search("parsePrice"):',
      '    print(line)',
      'print(repository.read("src/price.ts"))',
    ),
    code(
      'python',
      'path = "src/price.ts"',
      `changes = {`,
      `    "(text: string)": "(text: string, decimal: '.' | ',')",`,
      `    "Number.parseFloat(text)": "Number(text.replaceAll(decimal === '.' ? ',' : '.', '').replace(decimal, '.'))",`,
      `    '"12.50"': '"12.50", or "12,50" where decimals follow a comma',`,
      `}`,
      `for before, after in changes.items():`,
      `    repository.replace(path, before, after)`,
      `print(check_types())`,
    ),
    code(
      'python',
      `repository.replace("src/cart.ts", "(prices: string[])", "(prices: string[], decimal: '.' | ',')")`,
      `repository.replace("src/cart.ts", "parsePrice(price)", "parsePrice(price, decimal)")`,
      `errors = check_types()`,
      `tries = [try_out(path=path, expression=f"parsePrice({text})") for text in ("'1.234,50', ','", "'12.50', '.'")]`,
      `print(len(errors), tries)`,
    ),
    code('python', `exit("parsePrice and total take the separator of decimals.")`),
  ]),
};
