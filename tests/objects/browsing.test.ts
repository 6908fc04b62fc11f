// Durable objects looked at as rows: without their classes, at older revisions, and with who wrote them.
import { expect, it } from 'vitest';
import { Durable, idOf, program, Statek, tags } from '../../src/index.ts';

class Room extends Durable {
  name = '';
  seats = 1;
  next: Room | undefined;
}

it('lists classes and instances, and finds what refers to an object', async () => {
  const kit = await Statek.open({ store: 'memory:', classes: [Room] });
  const [red, blue] = await kit.transaction(() => {
    const first = new Room();
    first.name = 'red';
    const second = new Room();
    second.name = 'blue';
    second.next = first;
    tags(second).add('large');
    return [idOf(first), idOf(second)];
  });
  expect(await kit.objects.classes()).toEqual(['Room']);
  expect(await kit.objects.classes('elsewhere')).toEqual([]);
  const { objects } = await kit.objects.instances('Room');
  expect(objects.map(({ id }) => id).toSorted()).toEqual([red, blue].toSorted());
  expect((await kit.objects.instances('Room', { tag: 'large' })).objects).toMatchObject([
    { id: blue, tags: ['large'] },
  ]);
  expect(await kit.objects.object(blue)).toMatchObject({
    type: 'Room',
    fields: { name: { kind: 'data', value: 'blue' }, next: { kind: 'reference', id: red, type: 'Room' } },
  });
  expect(await kit.objects.referrers(red)).toEqual({
    referrers: [{ id: blue, type: 'Room', field: 'next' }],
    isPartial: false,
  });
  expect(await kit.objects.object('nothing')).toBeUndefined();
  await kit.close();
});

it('tells which job and commit wrote each version', async () => {
  const widen = program({ role: 'widen', source: 'room.seats += 1; room.seats' });
  const kit = await Statek.open({ store: 'memory:', classes: [Room], drivers: [widen] });
  const room = await kit.transaction(() => new Room());
  await kit.submit(widen, { id: 'first', vars: { room } });
  await kit.runUntilIdle();
  await kit.submit(widen, { id: 'second', vars: { room } });
  await kit.runUntilIdle();
  const versions = [];
  for await (const { object, by } of kit.objectHistory(idOf(room))) versions.push([object.fields['seats'], by?.job]);
  expect(versions).toEqual([
    [{ kind: 'data', value: 3 }, 'second'],
    [{ kind: 'data', value: 2 }, 'first'],
    [{ kind: 'data', value: 1 }, undefined],
  ]);
  const [latest] = await (await kit.job('second')).commits();
  for await (const { by } of kit.objectHistory(idOf(room))) {
    expect(by?.commit).toBe(latest?.hash);
    break;
  }
  await kit.close();
});
