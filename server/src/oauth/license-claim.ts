import type { Ctx } from '../context.ts'
import { findLicense } from '../licensing/licenses.ts'

export interface LicenseClaim {
  type: string
  name: string
  features: string[]
}

interface LicensedSubject {
  client: { applicationId: string }
  resource: { applicationId: string } | undefined
  userId: string
  tenant: { id: string } | undefined
}

/**
 * The license that a new token gets: in its tenant, for the application that it is for. It is read before a code or
 * refresh token is used up, so that the client can retry if the read fails.
 */
export async function findLicenseOfSubject(
  ctx: Ctx,
  { client, resource, userId, tenant }: LicensedSubject,
): Promise<LicenseClaim | undefined> {
  if (!tenant) return undefined
  const applicationId = resource?.applicationId ?? client.applicationId
  return findLicenseClaim(ctx, { tenantId: tenant.id, userId, applicationId })
}

/** A user's current license, as tokens and introspection state it. */
export async function findLicenseClaim(
  ctx: Ctx,
  query: { tenantId: string; userId: string; applicationId: string },
): Promise<LicenseClaim | undefined> {
  const license = await findLicense(ctx, query)
  return license && { type: license.type, name: license.name, features: license.features }
}
