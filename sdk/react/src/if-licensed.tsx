import type { ReactElement, ReactNode } from 'react'
import { useLicense } from './use-license.ts'

export interface IfLicensedProps {
  /** The key of the feature, as in the license type. */
  feature: string
  /** Shown without the feature, and if the license cannot be checked. */
  fallback?: ReactNode
  /** Shown until the license is known. */
  loading?: ReactNode
  children?: ReactNode
}

/**
 * Shows its children if the license of the user has the feature. This is no protection: the API must check as well.
 *
 * @example
 * <IfLicensed feature="export" fallback={<Upgrade />}>
 *   <ExportButton />
 * </IfLicensed>
 */
export function IfLicensed({ feature, fallback, loading, children }: IfLicensedProps): ReactElement {
  const { status, hasFeature } = useLicense()
  if (status === 'loading') return <>{loading}</>
  return <>{hasFeature(feature) ? children : fallback}</>
}
