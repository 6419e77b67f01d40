const REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is a file',
  EINVAL: 'the system does not allow that here',
  ELOOP: 'a link is in the way',
  EEXIST: 'a file of that name is in the way',
}

/** The reason of a file system error in plain language; undefined for other errors. */
export function describeFsError(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return REASONS[code]
}
