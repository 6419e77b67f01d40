import { useLatchkey, useSessionState } from './context.ts'
import { useResource } from './use-resource.ts'

export interface License {
  /** `loading` until the license is known. Nobody who is signed out has a license. */
  status: 'loading' | 'ready' | 'error'
  /** Why the status is `error`. */
  error: Error | undefined
  /** The slug of the license type; undefined without a license. */
  licenseType: string | undefined
  features: string[]
  /** False also while the license is loading. */
  hasFeature(feature: string): boolean
}

/**
 * The license of the user in the current tenant. Use it to show or hide things. The API must check the license as well.
 *
 * @example
 * const { hasFeature } = useLicense()
 * return <button disabled={!hasFeature('export')}>Export</button>
 */
export function useLicense(): License {
  const { license } = useLatchkey().connection
  const { status, user, tenant } = useSessionState()
  const key = user && tenant && `${user.id} ${tenant.id}`
  const { value, ...state } = useResource(license, key)
  const features = (key !== undefined && value?.features) || []
  return {
    status: key !== undefined ? state.status : status === 'loading' ? 'loading' : 'ready',
    error: state.error,
    licenseType: value?.licenseType ?? undefined,
    features,
    hasFeature: (feature) => features.includes(feature),
  }
}
