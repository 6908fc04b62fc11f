// Rules about members hold for what a role is told and for what its code can use, wherever they are said.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describe as say, Durable, InvalidOptionError } from '../../src/index.ts';
import { AccessRuleError } from '../../src/workspace/bridge/source-rules.ts';
import { extractDeclarations } from '../../src/agents/docs/syntax/extract.ts';
import { storeFolder } from '../workspace/support/kits.ts';
import { agentWith, lastMessage, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

class Employee {
  name = 'Ann';
  salary = 100;
  secretNote = 'x';
  secretCount = 1;
  findPeers(): string {
    return 'peers';
  }
  findBoss(): string {
    return 'boss';
  }
  fire(): string {
    return 'fired';
  }
}

/** What an agent of each role is told of an object, and what its code can reach. */
async function seenBy(roles: readonly string[], vars: Record<string, object>, code: string, options = {}) {
  const agents = roles.map((role) => agentWith({ role }));
  const script = roles.flatMap(() => [ts('print(brief(it))'), ts(`exit(${code})`)]);
  const { kit, model } = await stage(agents, script, { services: vars, ...options });
  const seen: { told: string; reached: unknown }[] = [];
  for (const agent of agents) {
    const job = await kit.submit(agent, { message: 'x', vars });
    const reached = await job.result();
    seen.push({ told: lastMessage(model, model.requests.length), reached });
  }
  return seen;
}

const reach =
  '[it.name, it.salary, it.secretNote, it.secretCount, typeof it.findPeers, typeof it.findBoss, typeof it.fire]';

it('withholds what the rules of a description say: the last that matches decides, the rest is withheld', async () => {
  say(
    Employee,
    'Somebody.\nSTATEK-ACL: + name\n+ salary\n+ secret*\n- secretNote\n+ find*\n- salary: clerk, guest\n- findBoss: guest',
  );
  const [clerk, guest, boss] = await seenBy(['clerk', 'guest', 'boss'], { it: new Employee() }, reach);
  expect(clerk?.reached).toEqual(['Ann', undefined, undefined, 1, 'function', 'function', 'undefined']);
  expect(guest?.reached).toEqual(['Ann', undefined, undefined, 1, 'function', 'undefined', 'undefined']);
  expect(boss?.reached).toEqual(['Ann', 100, undefined, 1, 'function', 'function', 'undefined']);
  expect(clerk?.told).toMatch(/name: string;[\s\S]*secretCount[\s\S]*findPeers[\s\S]*findBoss/);
  for (const text of ['salary', 'secretNote', 'fire']) expect(clerk?.told).not.toContain(text);
  expect(boss?.told).toContain('salary');
  expect(guest?.told).not.toContain('findBoss');
});

it('shows nothing of it when the object is printed, and refuses rules that are none', async () => {
  class Safe {
    label = 'blue';
    code = 1234;
  }
  say(Safe, { doc: 'A safe.\nSTATEK-ACL: + *\n- code: clerk' });
  const safe = new Safe();
  const agent = agentWith({ role: 'clerk' });
  const { kit, model } = await stage([agent], [ts('print(safe)'), ts('safe.code = 5'), ts('exit()')], {
    services: { safe },
  });
  await (await kit.submit(agent, { message: 'x', vars: { safe } })).result();
  expect(lastMessage(model, 2)).toBe("Safe { label: 'blue' }");
  expect(lastMessage(model, 3)).toContain('TypeError');
  expect(safe.code).toBe(1234);
  expect(() => say(Safe, 'x\nSTATEK-ACL: every thing')).toThrow(InvalidOptionError);
});

it('knows comments from the file that statek docs has written, and their rules hold', async () => {
  const source = `
/**
 * A room of the house.
 * STATEK-ACL: + *
 * - price: clerk
 */
export class HouseRoom extends Durable {
  /** What it is called. */
  label = 'Blue';
  price = 9;
  /** Books it for a day. */
  book(day: Date): string { return 'booked'; }
}`;
  const declarations = join(storeFolder(), 'declarations.json');
  writeFileSync(declarations, JSON.stringify(extractDeclarations([{ path: 'room.ts', text: source }])));
  class HouseRoom extends Durable {
    label = 'Blue';
    price = 9;
    book(_day: unknown): string {
      return 'booked';
    }
  }
  const agents = ['clerk', 'boss'].map((role) => agentWith({ role }));
  const look = [ts('print(brief(room))'), ts('exit([room.label, room.price])')];
  const { kit, model } = await stage(agents, [...look, ...look], { classes: [HouseRoom], settings: { declarations } });
  const room = await kit.transaction(() => new HouseRoom());
  const results: unknown[] = [];
  for (const agent of agents) results.push(await (await kit.submit(agent, { message: 'x', vars: { room } })).result());
  expect(results).toEqual([
    ['Blue', undefined],
    ['Blue', 9],
  ]);
  const [clerk, boss] = [lastMessage(model, 2), lastMessage(model, 4)];
  expect(clerk).toContain('/** A room of the house. */');
  expect(clerk).toContain('book(day: Date): string');
  expect(clerk).not.toContain('price');
  expect(boss).toContain('price');
  await expect(stage([], [], { settings: { declarations: 'nowhere.json' } })).rejects.toThrow(
    'nowhere.json cannot be read',
  );
});

/**
 * An account.
 * STATEK-ACL: + *
 * - pin: clerk
 * - close
 */
class Account {
  owner = 'Ann';
  pin = 1234;
  close(): string {
    return 'closed';
  }
}

class Vault {
  // STATEK-ACL: + label
  // + open: boss
  label = 'blue';
  code = 1;
  open(): string {
    return 'open';
  }
}

/** STATEK-ACL: + label */
class Shelf extends Durable {
  static durable = { name: 'Shelf' };
  label = 'top';
  price = 9;
}

class Plain {
  note = 'x';
}

it('holds rules in the comment before a class, and inside its body', async () => {
  const look = '[it.owner, it.pin, typeof it.close]';
  const [clerk, boss] = await seenBy(['clerk', 'boss'], { it: new Account() }, look);
  expect(clerk?.reached).toEqual(['Ann', undefined, 'undefined']);
  expect(boss?.reached).toEqual(['Ann', 1234, 'undefined']);
  expect([clerk?.told.includes('pin'), boss?.told.includes('pin'), boss?.told.includes('close')]).toEqual([
    false,
    true,
    false,
  ]);
  const [reader, opener] = await seenBy(['reader', 'boss'], { it: new Vault() }, '[it.label, it.code, typeof it.open]');
  expect(reader?.reached).toEqual(['blue', undefined, 'undefined']);
  expect(opener?.reached).toEqual(['blue', undefined, 'function']);
  const [other] = await seenBy(['reader'], { it: new Plain() }, 'it.note');
  expect(other?.reached).toBe('x');
});

it('holds rules in the comment before a durable class, for objects and their class', async () => {
  const agent = agentWith();
  const { kit } = await stage([agent], [ts('exit([shelf.label, shelf.price, Object.keys(shelf)])')], {
    classes: [Shelf],
  });
  const shelf = await kit.transaction(() => new Shelf());
  expect(await (await kit.submit(agent, { message: 'x', vars: { shelf } })).result()).toEqual([
    'top',
    undefined,
    ['label'],
  ]);
});

it('holds them for objects that a tool returns, and for what is printed', async () => {
  const agent = agentWith({ tools: { find: () => new Account() } });
  const { kit, model } = await stage([agent], [ts('print(find()); exit(find().close)')]);
  expect(await (await kit.submit(agent, { message: 'x' })).result()).toBeUndefined();
  expect(model.requests).toHaveLength(1);
});

it('refuses rules that cannot hold where they stand, when the kit is opened', async () => {
  class Lost {
    secret = 1;
    read(): number {
      // STATEK-ACL: - secret
      return this.secret;
    }
  }
  class Inline {
    /** A secret. STATEK-ACL: - secret */
    secret = 1;
  }
  class Odd {
    // STATEK-ACL: + *
    // - secret, pin
    secret = 1;
  }
  class Empty {
    // STATEK-ACL:
    secret = 1;
  }
  const opened = (service: object): Promise<unknown> => stage([], [], { services: { it: service } });
  await expect(opened(new Lost())).rejects.toThrow(
    "The class 'Lost' has a STATEK-ACL line inside a member, where it rules nothing.",
  );
  await expect(opened(new Inline())).rejects.toThrow(AccessRuleError);
  await expect(opened(new Odd())).rejects.toThrow("'- secret, pin' is not a rule of an ACL.");
  await expect(opened(new Empty())).rejects.toThrow('A STATEK-ACL line has no rule.');
  expect(() => say(Plain, { members: { note: 'STATEK-ACL: - note' } })).toThrow(
    "describe: 'note' has a STATEK-ACL line, which rules nothing there.",
  );
});
