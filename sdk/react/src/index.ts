'use client'

// The entry point of the package.
export { AuthError, type AuthErrorName } from './auth-error.ts'
export { IfLicensed, type IfLicensedProps } from './if-licensed.tsx'
export { LatchkeyProvider, type LatchkeyProviderProps } from './latchkey-provider.tsx'
export type { ActiveTenant, User } from './session/claims.ts'
export type { SignInOptions } from './session/redirects.ts'
export type { AccessTokenOptions, AuthStatus, SignOutOptions } from './session/session.ts'
export { TenantSwitcher, type TenantSwitcherProps } from './tenant-switcher.tsx'
export { type Auth, useAuth } from './use-auth.ts'
export { type License, useLicense } from './use-license.ts'
export { type OwnTenant, type TenantAccess, useTenant } from './use-tenant.ts'
export { useUser } from './use-user.ts'
