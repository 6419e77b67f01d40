/** Work that must not run inside a transaction, because it would hold locks and a connection for long. */
export type SlowWork = 'password hash' | 'key generation' | 'request to another server' | 'mail'

let watcher: ((work: SlowWork) => void) | undefined

/** Called before every kind of slow work. */
export const beginSlowWork = (work: SlowWork): void => watcher?.(work)

/** For tests: the callback runs before all slow work of this process, and may throw. */
export function watchSlowWork(watch: (work: SlowWork) => void): void {
  watcher = watch
}
