// What can go wrong in the engine, and the one way for the host to throw inside the guest.
import { StatekError } from '../../../base/error.ts';

export type StopReason = 'fuel' | 'time' | 'interrupt' | 'stack' | 'memory' | 'trap';

const explanations: Record<StopReason, string> = {
  fuel: 'the code used up its work budget',
  time: 'the code used up its time',
  interrupt: 'the code was interrupted by its soft limit or by the host',
  stack: 'native recursion went deeper than the stack allows',
  memory: 'the engine could not get the memory it needs to go on',
  trap: 'the engine itself failed',
};

/** The guest was stopped in the middle. Its slice is lost; the last image is as it was. */
export class EngineStoppedError extends StatekError {
  readonly code = 'ENGINE_STOPPED';
  readonly reason: StopReason;

  constructor(reason: StopReason, cause?: unknown) {
    super(`The program was stopped: ${explanations[reason]}.`, { reason }, cause);
    this.reason = reason;
  }
}

/** A machine was used after it was released, while it was running, or captured while it was not idle. */
export class EngineMisuseError extends StatekError {
  readonly code = 'ENGINE_MISUSE';
}

/** The engine build that an image names is not here. */
export class EngineMissingError extends StatekError {
  readonly code = 'ENGINE_MISSING';
}

/** An image is damaged, cut short, or of another engine. It is not loaded. */
export class ImageRefusedError extends StatekError {
  readonly code = 'IMAGE_REFUSED';
}

/** Every machine the pool may have is in use. */
export class EnginePoolFullError extends StatekError {
  readonly code = 'ENGINE_POOL_FULL';
}

/** Thrown by a host function to throw in the guest: the guest gets an error of that name and message, and nothing else. */
export class GuestThrow extends Error {
  readonly guestName: string;

  constructor(name: string, message: string) {
    super(message);
    this.guestName = name;
  }
}
