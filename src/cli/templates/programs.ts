// The first program of a new project, in the language that was chosen. It waits, so that there is something to answer.

export function firstProgram(language: 'typescript' | 'python'): { readonly path: string; readonly text: string } {
  return language === 'python'
    ? { path: 'programs/first.py', text: python }
    : { path: 'programs/first.ts', text: typescript };
}

const typescript = `// A step of a workspace: what is declared here is kept, and the next step goes on with it.
// Run it with: npx statek run programs/first.ts
const days = ['Monday', 'Tuesday', 'Wednesday'];
const lengths = new Map(days.map((day) => [day, day.length]));

print('the program can wait anywhere, also in a loop');
let slept = 0;
for (const day of days) {
  await sleep(10); // or ten days: nothing is in memory meanwhile
  slept++;
}
({ slept, lengths })
`;

const python = `# A step of a workspace: what is defined here is kept, and the next step goes on with it.
# Run it with: npx statek run programs/first.py
days = ["Monday", "Tuesday", "Wednesday"]
lengths = {day: len(day) for day in days}

print("the program can wait anywhere, also in a loop")
slept = 0
for day in days:
    sleep(0.01)  # or ten days: nothing is in memory meanwhile
    slept += 1
(slept, lengths)
`;
