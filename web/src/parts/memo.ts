// A component that is drawn again only if what it shows has changed.
import { Component, createElement, type FunctionComponent, type JSX } from 'preact';

export function memo<Props extends object>(
  Shown: FunctionComponent<Props>,
  isSame: (before: Props, after: Props) => boolean,
): new (props: Props) => Component<Props> {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return !isSame(this.props, next);
    }

    override render(props: Props): JSX.Element {
      return createElement(Shown, props);
    }
  };
}
