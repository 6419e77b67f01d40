/** Work that takes long. */
export type SlowWork = 'password hash' | 'key generation' | 'request to another server' | 'mail'

let watcher: ((work: SlowWork) => void) | undefined

/** Every kind of slow work calls this before it begins. It must never begin inside a transaction. */
export const beginSlowWork = (work: SlowWork): void => watcher?.(work)

/** For tests: hears of all slow work of this process before it begins, and may throw. */
export function watchSlowWork(watch: (work: SlowWork) => void): void {
  watcher = watch
}
