import { useEffect, useSyncExternalStore } from 'react'
import type { Resource, ResourceState } from './resource.ts'

/**
 * Loads the value while a component shows it: at first, when the page becomes visible again, and when the connection is
 * back. Without a key there is nothing to load.
 */
export function useResource<T>(resource: Resource<T>, key: string | undefined): ResourceState<T> {
  const state = useSyncExternalStore(resource.subscribe, resource.getState, resource.getState)
  useEffect(() => {
    if (key === undefined) return
    const refresh = () => {
      if (document.visibilityState === 'visible') resource.ensureFresh(key)
    }
    resource.ensureFresh(key)
    document.addEventListener('visibilitychange', refresh)
    window.addEventListener('online', refresh)
    return () => {
      document.removeEventListener('visibilitychange', refresh)
      window.removeEventListener('online', refresh)
    }
  }, [resource, key])
  // Between a tenant switch and the effect, the state is still that of the previous tenant.
  return state.key === key ? state : { key, status: 'loading', value: undefined, error: undefined }
}
