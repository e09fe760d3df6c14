/**
 * A button that is held or tapped: held, it works for as long as it is down; tapped, until it is tapped again.
 *
 * Not everybody can hold a button down, and a screen reader only clicks.
 */

const TAP = 350;

export class Hold {
  private pressed: number | undefined;
  private latched = false;

  constructor(
    private readonly begin: () => void,
    private readonly end: () => void,
  ) {}

  down(at: number): void {
    if (this.pressed !== undefined) return;
    this.pressed = at;
    if (!this.latched) this.begin();
  }

  up(at: number): void {
    if (this.pressed === undefined) return;
    const tapped = at - this.pressed < TAP;
    this.pressed = undefined;
    if (tapped && !this.latched) {
      this.latched = true;
      return;
    }
    this.latched = false;
    this.end();
  }

  /** A click without a press. */
  click(at: number): void {
    this.down(at);
    this.up(at);
  }

  /** Whatever it was, it is over, and somebody else has ended it. */
  reset(): void {
    this.pressed = undefined;
    this.latched = false;
  }
}
