// Sends chunks and final segments of a session until it is killed; says each number that was acknowledged.
import { SpeechStateManager } from '../../../src/state.ts';
import { openStoreAt } from '../../chaos/place.ts';
import { saveCompiledModules } from '../../support/compiled.ts';

saveCompiledModules();

const [place = '', sessionId = '', count = '0'] = process.argv.slice(2);
const speech = new SpeechStateManager({ store: await openStoreAt(place) });
// Like a client that reconnects: it does not know what arrived, and sends everything again.
for (let sequence = 0; sequence < Number(count); sequence++) {
  await speech.addAudioChunk(sessionId, { sequence, audio: new Uint8Array(10) });
  await speech.addTranscription(sessionId, { text: `segment ${sequence}`, sequence });
  process.send?.(sequence);
}
process.send?.('done');
process.disconnect();
