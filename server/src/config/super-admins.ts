import type { Reader } from './reader.ts'

export const SUPER_ADMIN_VARIABLES = {
  SUPER_ADMIN_MFA:
    'REQUIRED or OPTIONAL: whether Super Admins need a second factor to manage the instance (REQUIRED; in the demo OPTIONAL)',
  SUPPORT_ACCESS:
    'off or on: whether Super Admins may act as members of tenants that allow it, for support; see support-access.md (off)',
}

export const readSuperAdminMfa = (read: Reader, isDemo: boolean): 'REQUIRED' | 'OPTIONAL' =>
  read.oneOf('SUPER_ADMIN_MFA', ['REQUIRED', 'OPTIONAL'] as const) ?? (isDemo ? 'OPTIONAL' : 'REQUIRED')

export const readSupportAccess = (read: Reader): boolean => read.oneOf('SUPPORT_ACCESS', ['off', 'on']) === 'on'
