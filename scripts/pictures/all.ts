// Every picture that is drawn by a script, by the name of its file in docs/pictures.
import { commit } from './commit.ts';
import { jobStates } from './job-states.ts';
import { killAndResume } from './kill-and-resume.ts';
import { layersPicture } from './layers.ts';
import { scale } from './scale.ts';
import { slice } from './slice.ts';

export const pictures: Readonly<Record<string, () => string>> = {
  'slice.svg': slice,
  'kill-and-resume.svg': killAndResume,
  'commit.svg': commit,
  'layers.svg': layersPicture,
  'job-states.svg': jobStates,
  'scale.svg': scale,
};
