// Mistakes that only speech has: it is about time.
import { StatekError } from '../../base/error.ts';

/** Audio whose place in the stream has passed. */
export class SpeechLateInputError extends StatekError {
  readonly code = 'SPEECH_LATE_INPUT';
}

/** The session is over; nothing is accepted any more. */
export class SpeechSessionEndedError extends StatekError {
  readonly code = 'SPEECH_SESSION_ENDED';
}
