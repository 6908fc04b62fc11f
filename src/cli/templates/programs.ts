// The first program of a new project, in the chosen language. It sleeps, to show that programs can wait.

export function firstProgram(language: 'typescript' | 'python'): { readonly path: string; readonly text: string } {
  return language === 'python'
    ? { path: 'programs/first.py', text: python }
    : { path: 'programs/first.ts', text: typescript };
}

const typescript = `// A step of a workspace: the next step can use everything declared here.
// Run it with: npx statek run programs/first.ts
const days = ['Monday', 'Tuesday', 'Wednesday'];
const lengths = new Map(days.map((day) => [day, day.length]));

print('a program can wait anywhere, even in a loop');
let slept = 0;
for (const day of days) {
  await sleep(10); // or ten days: a waiting program takes no memory
  slept++;
}
({ slept, lengths })
`;

const python = `# A step of a workspace: the next step can use everything defined here.
# Run it with: npx statek run programs/first.py
days = ["Monday", "Tuesday", "Wednesday"]
lengths = {day: len(day) for day in days}

print("a program can wait anywhere, even in a loop")
slept = 0
for day in days:
    sleep(0.01)  # or ten days: a waiting program takes no memory
    slept += 1
(slept, lengths)
`;
