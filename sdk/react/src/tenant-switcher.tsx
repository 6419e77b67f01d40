import { type ReactElement, useState } from 'react'
import { useTenant } from './use-tenant.ts'

export interface TenantSwitcherProps {
  className?: string | undefined
  /** The label of the select element. Default: `Organization`. */
  label?: string | undefined
  /** Called if the switch fails. The tenant is then the same as before. */
  onError?: ((error: Error) => void) | undefined
}

/**
 * A select element with the tenants of the user. Shows nothing if the user has fewer than two.
 *
 * @example
 * <TenantSwitcher className="tenant" label="Company" />
 */
export function TenantSwitcher({
  className,
  label = 'Organization',
  onError,
}: TenantSwitcherProps): ReactElement | null {
  const { tenant, tenants, switchTenant } = useTenant()
  const [isSwitching, setSwitching] = useState(false)
  if (tenants.length < 2) return null

  async function choose(slug: string): Promise<void> {
    setSwitching(true)
    try {
      await switchTenant(slug)
    } catch (error) {
      onError?.(error as Error)
    } finally {
      setSwitching(false)
    }
  }

  return (
    <label className={className}>
      {label}{' '}
      <select
        value={tenant?.slug ?? ''}
        disabled={isSwitching}
        onChange={({ currentTarget }) => void choose(currentTarget.value)}
      >
        {!tenant && <option value="" disabled />}
        {tenants.map(({ id, slug, name, suspended }) => (
          <option key={id} value={slug} disabled={suspended === true}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
