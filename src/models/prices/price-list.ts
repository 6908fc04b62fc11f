// Prices of models in US dollars per million tokens, without discounts for batches or regions. Applications can provide
// newer prices as a CSV file of the same form.

/** The day these prices were looked up. */
export const priceListDate = '2026-08-08';

/** `from` is the number of input tokens from which a line applies; an empty price defaults to that of `input`. */
export const priceList = `
model,from,input,output,cached,cache_write
anthropic/claude-fable-5,,10,50,1,12.5
anthropic/claude-haiku-4-5,,1,5,0.1,1.25
anthropic/claude-opus-4-1,,15,75,1.5,18.75
anthropic/claude-opus-4-5,,5,25,0.5,6.25
anthropic/claude-opus-4-6,,5,25,0.5,6.25
anthropic/claude-opus-4-7,,5,25,0.5,6.25
anthropic/claude-opus-4-8,,5,25,0.5,6.25
anthropic/claude-opus-5,,5,25,0.5,6.25
anthropic/claude-sonnet-4-5,,3,15,0.3,3.75
anthropic/claude-sonnet-4-5,200001,6,22.5,0.6,7.5
anthropic/claude-sonnet-4-6,,3,15,0.3,3.75
anthropic/claude-sonnet-5,,2,10,0.2,2.5
google/gemini-2.5-flash,,0.3,2.5,0.03,
google/gemini-2.5-flash-lite,,0.1,0.4,0.01,
google/gemini-2.5-pro,,1.25,10,0.125,
google/gemini-2.5-pro,200001,2.5,15,0.25,
google/gemini-3-flash-preview,,0.5,3,0.05,
google/gemini-3-pro-preview,,2,12,0.2,
google/gemini-3-pro-preview,200001,4,18,0.4,
google/gemini-3.1-flash-lite,,0.25,1.5,0.025,
google/gemini-3.1-pro-preview,,2,12,0.2,
google/gemini-3.1-pro-preview,200001,4,18,0.4,
google/gemini-3.5-flash,,1.5,9,0.15,
google/gemini-3.5-flash-lite,,0.3,2.5,0.03,
google/gemini-3.6-flash,,1.5,7.5,0.15,
openai/gpt-4.1,,2,8,0.5,
openai/gpt-4.1-mini,,0.4,1.6,0.1,
openai/gpt-4.1-nano,,0.1,0.4,0.025,
openai/gpt-4o,,2.5,10,1.25,
openai/gpt-4o-mini,,0.15,0.6,0.075,
openai/gpt-5,,1.25,10,0.125,
openai/gpt-5-codex,,1.25,10,0.125,
openai/gpt-5-mini,,0.25,2,0.025,
openai/gpt-5-nano,,0.05,0.4,0.005,
openai/gpt-5-pro,,15,120,,
openai/gpt-5.1,,1.25,10,0.125,
openai/gpt-5.1-codex,,1.25,10,0.125,
openai/gpt-5.1-codex-max,,1.25,10,0.125,
openai/gpt-5.1-codex-mini,,0.25,2,0.025,
openai/gpt-5.2,,1.75,14,0.175,
openai/gpt-5.2-codex,,1.75,14,0.175,
openai/gpt-5.2-pro,,21,168,,
openai/gpt-5.3-codex,,1.75,14,0.175,
openai/gpt-5.4,,2.5,15,0.25,
openai/gpt-5.4,272001,5,22.5,0.5,
openai/gpt-5.4-mini,,0.75,4.5,0.075,
openai/gpt-5.4-nano,,0.2,1.25,0.02,
openai/gpt-5.4-pro,,30,180,3,
openai/gpt-5.4-pro,272001,60,270,6,
openai/gpt-5.5,,5,30,0.5,
openai/gpt-5.5,272001,10,45,1,
openai/gpt-5.5-pro,,30,180,3,
openai/gpt-5.5-pro,272001,60,270,6,
openai/gpt-5.6,,5,30,0.5,6.25
openai/gpt-5.6,272001,10,45,1,12.5
openai/gpt-5.6-luna,,0.2,1.2,0.02,0.25
openai/gpt-5.6-luna,272001,0.4,1.8,0.04,0.5
openai/gpt-5.6-sol,,5,30,0.5,6.25
openai/gpt-5.6-sol,272001,10,45,1,12.5
openai/gpt-5.6-terra,,2,12,0.2,2.5
openai/gpt-5.6-terra,272001,4,18,0.4,5
openai/o3,,2,8,0.5,
openai/o3-mini,,1.1,4.4,0.55,
openai/o3-pro,,20,80,,
openai/o4-mini,,1.1,4.4,0.275,
`;
