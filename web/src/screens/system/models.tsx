// What models cost and how often they failed: by model, and over time.
import type { JSX } from 'preact';
import { cost, count, plural } from '../../format.ts';
import type { Queried } from '../../live/query.ts';
import { Bars } from './bars.tsx';
import { Card } from './card.tsx';

interface Errors {
  readonly retries: number;
  readonly failedJobs: number;
}

interface ModelUse extends Errors {
  readonly role: string;
  readonly model: string;
  readonly turns: number;
  readonly input: number;
  readonly output: number;
  readonly cost: number;
}

interface Day extends Errors {
  readonly day: string;
  readonly turns: number;
  readonly tokens: number;
  readonly cost: number;
}

export interface Usage {
  readonly usage: readonly ModelUse[];
  readonly days: readonly Day[];
  readonly isPartial: boolean;
}

const shownDays = 14;

export function ModelsCard({ usage }: { readonly usage: Queried<Usage> }): JSX.Element {
  return (
    <Card title="Models" query={usage} none="No model was asked yet.">
      {usage.data !== undefined && usage.data.usage.length > 0 && (
        <>
          <table class="table">
            <thead>
              <tr>
                <th>Model</th>
                <th>Role</th>
                <th class="number">Turns</th>
                <th class="number">Tokens</th>
                <th class="number">Cost</th>
                <th class="number">Errors</th>
              </tr>
            </thead>
            <tbody>
              {usage.data.usage.map((one) => (
                <tr key={`${one.role} ${one.model}`}>
                  <td>{one.model}</td>
                  <td class="soft">{one.role}</td>
                  <td class="number">{count(one.turns)}</td>
                  <td class="number">{count(one.input + one.output)}</td>
                  <td class="number">{cost(one.cost) || '–'}</td>
                  <ErrorCount {...one} />
                </tr>
              ))}
            </tbody>
          </table>
          {usage.data.isPartial && <p class="small soft">Of the latest 2,000 jobs.</p>}
        </>
      )}
    </Card>
  );
}

export function DaysCard({ usage }: { readonly usage: Queried<Usage> }): JSX.Element {
  const days = usage.data?.days.slice(-shownDays) ?? [];
  return (
    <Card title="Models by day" query={usage} none="No model was asked yet.">
      {days.length > 0 && (
        <>
          {days.length > 1 && (
            <Bars
              label="Cost and errors by day"
              bars={days.map((day) => ({
                key: day.day,
                value: day.cost > 0 ? day.cost : day.turns,
                bad: day.retries + day.failedJobs,
                title: `${day.day}: ${cost(day.cost) || plural(day.turns, 'turn')}, ${plural(day.retries + day.failedJobs, 'error')}`,
              }))}
            />
          )}
          <table class="table">
            <thead>
              <tr>
                <th>Day (UTC)</th>
                <th class="number">Turns</th>
                <th class="number">Tokens</th>
                <th class="number">Cost</th>
                <th class="number">Errors</th>
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map((day) => (
                <tr key={day.day}>
                  <td>{day.day}</td>
                  <td class="number">{count(day.turns)}</td>
                  <td class="number">{count(day.tokens)}</td>
                  <td class="number">{cost(day.cost) || '–'}</td>
                  <ErrorCount {...day} />
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </Card>
  );
}

/** Requests that were made again, and jobs that ended with an error of a model. */
function ErrorCount({ retries, failedJobs }: Errors): JSX.Element {
  const all = retries + failedJobs;
  const words = `${plural(retries, 'request')} made again, ${plural(failedJobs, 'job')} failed`;
  return (
    <td class="number" title={words}>
      {all === 0 ? <span class="faint">0</span> : <span class="bad-text">{count(all)}</span>}
    </td>
  );
}
