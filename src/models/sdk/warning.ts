// Formats warnings of the SDK.
import type { SharedV4Warning } from '@ai-sdk/provider';

export function warningText(warning: SharedV4Warning): string {
  switch (warning.type) {
    case 'unsupported':
      return `'${warning.feature}' is not supported${warning.details === undefined ? '' : `: ${warning.details}`}`;
    case 'compatibility':
      return `'${warning.feature}' is partly supported${warning.details === undefined ? '' : `: ${warning.details}`}`;
    case 'deprecated':
      return `'${warning.setting}' is deprecated: ${warning.message}`;
    case 'other':
      return warning.message;
  }
}
