// What is evaluated: reviews of a hotel, and whether the guest was content. The model sees the texts, the application knows the truth.
export const reviews: readonly { readonly text: string; readonly content: boolean }[] = [
  { text: 'A good stay, good food.', content: true },
  { text: 'Not good at all.', content: false },
  { text: 'We loved the garden.', content: true },
  { text: 'The room was dirty.', content: false },
  { text: 'Nobody could say that this was not lovely.', content: true },
  { text: 'Good location, but never again.', content: false },
  { text: 'Not bad!', content: true },
  { text: 'Dirty towels, rude staff.', content: false },
  { text: 'Good value, we will come again.', content: true },
  { text: 'Loud, and the food was bad.', content: false },
];

/** How many of the guesses are right. */
export function score(guesses: unknown): number {
  return reviews.filter(({ content }, index) => Array.isArray(guesses) && guesses[index] === content).length;
}
