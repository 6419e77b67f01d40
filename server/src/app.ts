import type { FastifyInstance } from 'fastify'
import { sumUpUserCounts } from './account/administration/directory.ts'
import { administrationRoutes } from './account/administration/routes.ts'
import { consentsRoutes } from './account/consents/routes.ts'
import { credentialsRoutes } from './account/credentials/routes.ts'
import { erasePeople } from './account/deletion/erasure.ts'
import { deletionRoutes } from './account/deletion/routes.ts'
import { exportRoutes } from './account/export/routes.ts'
import { mfaRoutes } from './account/mfa/routes.ts'
import { accountPages } from './account/pages.ts'
import { passkeyRoutes } from './account/passkeys/routes.ts'
import { profileRoutes } from './account/profile/routes.ts'
import { ownSessionsRoutes } from './account/sessions/routes.ts'
import { ssoLinkRoutes } from './account/sso/routes.ts'
import { knowsOrigin } from './applications/clients.ts'
import { clientsSection } from './applications/declare/clients.ts'
import { applicationsSection } from './applications/declare.ts'
import { applicationsRoutes } from './applications/routes.ts'
import { auditReading } from './audit/chain/figures.ts'
import { logAuditHead } from './audit/chain/head.ts'
import { pruneAuditLog } from './audit/chain/retention.ts'
import { extendAuditChain } from './audit/chain/service.ts'
import { maintainAuditPartitions } from './audit/partitions.ts'
import { auditRoutes } from './audit/routes.ts'
import { logos } from './branding/logos.ts'
import { brandingRoutes } from './branding/routes.ts'
import type { Config } from './config.ts'
import { consoleFiles } from './console/files.ts'
import { consolePages } from './console/pages.ts'
import type { Ctx } from './context.ts'
import { STATEMENTS } from './db/observation.ts'
import type { Section } from './declaration/section.ts'
import { ATTEMPTS, webhooksReading } from './events/dispatch/figures.ts'
import { dispatchWebhooks } from './events/dispatch/service.ts'
import { fanOutEvents } from './events/fan-out/service.ts'
import { eventsRoutes } from './events/routes.ts'
import { sweepDeliveries } from './events/sweep/service.ts'
import { docsPages, openApiAsset } from './http/docs.tsx'
import { healthRoutes } from './http/health.ts'
import { homePage } from './http/home.tsx'
import { forgetIdempotencyKeys } from './http/idempotency.ts'
import { metricsAsset } from './http/metrics.ts'
import type { Reading } from './http/readings.ts'
import { registerAll, type Surface, type Wiring } from './http/register.ts'
import { createRepetition } from './http/repetition.ts'
import { createServer } from './http/server.ts'
import { newTenantRoutes } from './invitations/administration/routes.ts'
import { expireInvitationsJob } from './invitations/expiry.ts'
import { invitationPages } from './invitations/pages.tsx'
import { invitationsRoutes } from './invitations/routes.ts'
import { jobsReading } from './jobs/figures.ts'
import type { Job } from './jobs/job.ts'
import { keysReading } from './keys/figures.ts'
import type { CounterDefinition } from './lib/figures.ts'
import { SHED } from './lib/overload.ts'
import { licensingAdminRoutes } from './licensing/admin-routes.ts'
import { subscriptionsSection } from './licensing/declare/subscriptions.ts'
import { licenseTypesSection } from './licensing/declare.ts'
import { licensingRoutes } from './licensing/routes.ts'
import { noteLapses } from './licensing/subscriptions/service.ts'
import { tenantLicensesRoutes } from './licensing/tenant-routes.ts'
import { DELIVERIES, mailReading } from './mail/figures.ts'
import { mailboxPages, mailboxRoutes } from './mail/mailbox.tsx'
import { deliverMail } from './mail/outbox.ts'
import { recognise } from './oauth/access-tokens.ts'
import { REUSE, TOKEN_REQUESTS } from './oauth/figures.ts'
import { logoutPages } from './oauth/logout-pages.tsx'
import { authorizePages } from './oauth/pages.tsx'
import { oauthRoutes } from './oauth/routes.ts'
import { signingKeyRoutes } from './oauth/signing-keys/routes.ts'
import { maintainKeys } from './oauth/signing-keys/service.ts'
import { sweepExpired } from './oauth/sweep.ts'
import { overviewRoutes } from './overview/routes.ts'
import { brandOfAddress } from './sessions/brand.ts'
import { SECOND_FACTORS, SIGN_INS } from './sessions/figures.ts'
import { sessionPages } from './sessions/pages.ts'
import { passkeySignInRoutes } from './sessions/passkeys/routes.ts'
import { mailPasswordReset } from './sessions/password-reset.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { ssoPages } from './sso/pages.tsx'
import { sweepSsoAttempts } from './sso/sweep.ts'
import { tenantAdministrationRoutes } from './tenants/administration/routes.ts'
import { tenantsSection } from './tenants/declare.ts'
import { tenantsRoutes } from './tenants/routes.ts'
import { inTenant } from './tenants/wall.ts'
import { brandSheets } from './ui/brand-sheet.ts'
import { passkeyScript } from './ui/passkey-script.ts'
import { stylesheet } from './ui/stylesheet.ts'
import { usersSection } from './users/declare.ts'
import { reencryptTotpSecrets } from './users/factors/totp-encryption.ts'
import { sweepPasskeyChallenges } from './users/passkeys/challenges.ts'

/** Every door of the service. The mailbox exists only where mail is not sent. */
export function surface(config: Config): Surface {
  const { mailbox } = config.mail
  const routes = [
    ...oauthRoutes,
    ...sessionRoutes,
    ...passkeySignInRoutes,
    ...profileRoutes,
    ...mfaRoutes,
    ...passkeyRoutes,
    ...ownSessionsRoutes,
    ...consentsRoutes,
    ...ssoLinkRoutes,
    ...credentialsRoutes,
    ...deletionRoutes,
    ...exportRoutes,
    ...tenantsRoutes,
    ...tenantAdministrationRoutes,
    ...newTenantRoutes,
    ...invitationsRoutes,
    ...licensingRoutes,
    ...licensingAdminRoutes,
    ...tenantLicensesRoutes,
    ...eventsRoutes,
    ...applicationsRoutes,
    ...brandingRoutes,
    ...signingKeyRoutes,
    ...auditRoutes,
    ...administrationRoutes,
    ...overviewRoutes,
    ...healthRoutes,
    ...(mailbox ? mailboxRoutes : []),
  ]
  return {
    routes,
    pages: [
      homePage,
      ...sessionPages,
      ...accountPages,
      ...ssoPages,
      ...invitationPages,
      ...authorizePages,
      ...logoutPages,
      ...docsPages(routes),
      ...consolePages,
      ...(mailbox ? mailboxPages : []),
    ],
    assets: [stylesheet, passkeyScript, openApiAsset(routes, config)],
    shelves: [brandSheets, logos, consoleFiles()],
  }
}

/** Work outside requests. */
export const jobs: Job<never>[] = [
  extendAuditChain,
  logAuditHead,
  pruneAuditLog,
  maintainAuditPartitions,
  fanOutEvents,
  dispatchWebhooks,
  sweepDeliveries,
  deliverMail,
  mailPasswordReset,
  maintainKeys,
  sweepExpired,
  sweepSsoAttempts,
  sweepPasskeyChallenges,
  reencryptTotpSecrets,
  forgetIdempotencyKeys,
  expireInvitationsJob,
  noteLapses,
  erasePeople,
  sumUpUserCounts,
]

/** What a declaration may list, in the order in which things depend on each other. */
export const sections: Section[] = [
  usersSection,
  tenantsSection,
  applicationsSection,
  clientsSection,
  licenseTypesSection,
  subscriptionsSection,
]

/** What is counted, shown from the start. Those whose labels are names appear with their first count. */
export const counters: CounterDefinition[] = [
  SIGN_INS,
  SECOND_FACTORS,
  TOKEN_REQUESTS,
  REUSE,
  DELIVERIES,
  ATTEMPTS,
  STATEMENTS,
  SHED,
]

/** What is read from the database when somebody looks at the figures. Kept mail does not wait. */
export const readings = ({ mail }: Config): Reading[] => [
  jobsReading(jobs),
  auditReading,
  webhooksReading,
  keysReading,
  ...(mail.mailbox ? [] : [mailReading]),
]

/** How the doors find out what only the slices know. */
export const wiring: Wiring = {
  doorkeeper: recognise,
  tenantKeeper: inTenant,
  knowsOrigin,
  brandOf: brandOfAddress,
}

export function buildApp(ctx: Ctx): FastifyInstance {
  const repetition = createRepetition(ctx)
  const app = createServer(ctx, repetition)
  const doors = surface(ctx.config)
  for (const counter of counters) ctx.figures.announce(counter)
  const assets = [...doors.assets, metricsAsset(ctx, readings(ctx.config))]
  registerAll(app, ctx, { ...doors, assets }, { ...wiring, repetition })
  return app
}
