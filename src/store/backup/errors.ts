// The errors of backups. A file that is damaged is an `ArchiveDamagedError`.
import { StatekError } from '../../base/error.ts';

/** The files do not follow one another: a full backup first, then each what changed since the one before it. */
export class BackupChainError extends StatekError {
  readonly code = 'BACKUP_CHAIN';
}

/** There is a file of that name already. It was not changed. */
export class BackupExistsError extends StatekError {
  readonly code = 'BACKUP_EXISTS';
}
