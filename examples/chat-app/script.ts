// What the model says without a key. It depends on the conversation alone, so a process that starts in the middle of one goes on.
import { messageText } from 'statek';
import type { ModelBackend } from 'statek/models';
import { scriptedModel, type ScriptedReply } from 'statek/testing';

const booking = `Let me see what is free.
\`\`\`ts
const day = await ask('For which day?');
const [cheapest] = await freeRooms(day);
print(\`\${cheapest.room} for \${cheapest.price} EUR\`);
try {
  print(await book(cheapest.room, day));
} catch (error) {
  print(\`not booked: \${error.name}\`);
}
\`\`\``;
const introduction =
  'I book rooms. Say "book a room", and I ask for the day, look for the cheapest room that is free, and wait for your approval ' +
  'before I book it. Reload this page, open it twice, or stop the server with kill -9 and start it again: nothing is lost.';

export const clerkScript: ModelBackend = scriptedModel(
  Array.from({ length: 1000 }, () => ({ messages }) => {
    const last = messages.at(-1);
    const text = last === undefined ? '' : messageText(last);
    if (text.includes('<CONSOLE>'))
      return spoken(text.includes('not booked') ? 'Then I leave it.' : 'It is booked. Have a pleasant stay!');
    return spoken(/\bbook\b/i.test(text) ? booking : introduction);
  }),
  { by: 'turn' },
);

/** Word by word, as models talk. */
function spoken(text: string): ScriptedReply {
  return { text: text.split(/(?<= )/), delay: 25 };
}
