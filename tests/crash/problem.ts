// What a comparison can find wrong.

export interface Problem {
  /**
   * `lost`: acknowledged and not there. `torn`: a part of something is there. `twice`: something happened two times.
   * `wrong`: something is there that nobody wrote, or the store contradicts itself.
   */
  readonly kind: 'lost' | 'torn' | 'twice' | 'wrong';
  readonly text: string;
}

export class Problems {
  readonly found: Problem[] = [];

  add(kind: Problem['kind'], text: string): void {
    this.found.push({ kind, text });
  }
}
