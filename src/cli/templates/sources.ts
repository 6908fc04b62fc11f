// The TypeScript of a new project.

export function configSource(store: string): string {
  return `// The configuration of this application. The statek command finds this file by its name.
import { defineConfig } from 'statek';
import { assistant } from './assistant.ts';
import { Calendar, Meeting } from './calendar.ts';
import { script } from './script.ts';

export default defineConfig({
  // Where it is deployed, a variable says where the data is.
  store: process.env['STATEK_STORE'] ?? ${JSON.stringify(store)},
  agents: [assistant],
  classes: [Calendar, Meeting],
  models: { models: { script } },
  settings: { prompts: './prompts' },
});
`;
}

export const calendarSource = `// Durable classes: their objects are saved in the store automatically.
import { Durable } from 'statek';

/** Something that takes place on a day. */
export class Meeting extends Durable {
  static durable = { name: 'Meeting' };
  title: string;
  day: string;

  constructor(title: string, day: string) {
    super();
    this.title = title;
    this.day = day;
  }

  /** Moves it to another day. */
  moveTo(day: string): void {
    this.day = day;
  }
}

/** All meetings. There is one calendar. */
export class Calendar extends Durable {
  static durable = { name: 'Calendar', singleton: true };
  meetings: Meeting[] = [];

  /** The meeting with this title, or undefined. */
  find(title: string): Meeting | undefined {
    return this.meetings.find((meeting) => meeting.title === title);
  }
}
`;

export function assistantSource(language: 'typescript' | 'python'): string {
  const options =
    language === 'python' ? "role: 'assistant', language: 'python', tools: [book]" : "role: 'assistant', tools: [book]";
  return `// An agent: its role, its prompt (prompts/assistant.md) and the tools its code can call.
import { Agent } from 'statek';
import { Calendar, Meeting } from './calendar.ts';

/** Books a meeting, or moves the one that has this title. Returns it. */
function book(title: string, day: string): Meeting {
  const calendar = new Calendar();
  const known = calendar.find(title);
  if (known !== undefined) {
    known.moveTo(day);
    return known;
  }
  const meeting = new Meeting(title, day);
  calendar.meetings.push(meeting);
  return meeting;
}

export const assistant = new Agent({ ${options} });
`;
}

export function assistantScript(language: 'typescript' | 'python'): string {
  return `// A scripted model, so that the project runs without an API key. After a restart, a job continues where it stopped.
import { scriptedModel } from 'statek/testing';

export const script = scriptedModel(
  [
${replies[language]}
  ],
  { by: 'turn' },
);
`;
}

const replies = {
  typescript: `    'I book it.\\n\`\`\`ts\\nconst meeting = book("Planning", "Thursday");\\nprint(meeting);\\n\`\`\`',
    '\`\`\`ts\\nexit(\`\${meeting.title} is on \${meeting.day}\`);\\n\`\`\`',`,
  python: `    'I book it.\\n\`\`\`python\\nmeeting = book("Planning", "Thursday")\\nprint(meeting.title)\\n\`\`\`',
    '\`\`\`python\\nexit(f"{meeting.title} is on {meeting.day}")\\n\`\`\`',`,
};

export function promptText(language: 'typescript' | 'python'): string {
  const [title, fence] = language === 'python' ? ['Python', 'python'] : ['TypeScript', 'ts'];
  return `# MODEL: script
# System Prompt
You keep the calendar of a small company. Answer with ${title} in a \`\`\`${fence} block; its variables are kept between your replies.
When you are done, call exit(text) with your answer.

--- Tools ---

\`\`\`${fence}
{tools}
\`\`\`
`;
}
