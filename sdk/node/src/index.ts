// The entry point of the package.
export type { Auth, License } from './auth.ts'
export { AuthError, type AuthErrorCode } from './auth-error.ts'
export type { DpopOptions } from './dpop.ts'
export type { IntrospectionOptions } from './introspection.ts'
export { createLatchkey, type Latchkey, type LatchkeyOptions } from './latchkey.ts'
export { createLogoutVerifier, type Logout, type LogoutOptions, LogoutTokenError } from './logout.ts'
export { createMachineClient } from './machine-client.ts'
export { createMachineToken, type MachineOptions } from './machine-token.ts'
export type { TokenRequest } from './request-address.ts'
export {
  createMetadataFinder,
  describeResource,
  locateResourceMetadata,
  type ResourceMetadata,
  type ResourceOptions,
} from './resource-metadata.ts'
