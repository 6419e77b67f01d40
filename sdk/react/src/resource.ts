import { createStore, type Store } from './store.ts'

export interface ResourceState<T> {
  /** Whom the value is about. A value of another user or tenant must not be shown. */
  key: string | undefined
  status: 'loading' | 'ready' | 'error'
  value: T | undefined
  error: Error | undefined
}

/** A value from the service that several components show. It is loaded once and kept for a short time. */
export interface Resource<T> extends Store<ResourceState<T>> {
  /** Loads the value unless it is fresh or being loaded. Until the new value arrives, the old one is kept. */
  ensureFresh(key: string): void
}

export function createResource<T>(load: () => Promise<T>, { maxAgeMs }: { maxAgeMs: number }): Resource<T> {
  const initial: ResourceState<T> = { key: undefined, status: 'loading', value: undefined, error: undefined }
  const { getState, setState, subscribe } = createStore(initial)
  let loadingKey: string | undefined
  let loadedAt = Number.NEGATIVE_INFINITY

  async function reload(key: string): Promise<void> {
    loadingKey = key
    if (getState().key !== key) setState({ key, status: 'loading', value: undefined, error: undefined })
    try {
      const value = await load()
      if (loadingKey !== key) return
      loadedAt = Date.now()
      setState({ key, status: 'ready', value, error: undefined })
    } catch (error) {
      // A value that was loaded before is better than none.
      if (loadingKey === key && getState().status !== 'ready') {
        setState({ key, status: 'error', value: undefined, error: error as Error })
      }
    } finally {
      if (loadingKey === key) loadingKey = undefined
    }
  }

  return {
    getState,
    subscribe,
    ensureFresh(key) {
      const state = getState()
      const isFresh = state.key === key && state.status === 'ready' && Date.now() < loadedAt + maxAgeMs
      if (!isFresh && loadingKey !== key) void reload(key)
    },
  }
}
