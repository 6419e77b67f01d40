import type { FastifyInstance } from 'fastify'
import { consentsRoutes } from './account/consents/routes.ts'
import { credentialsRoutes } from './account/credentials/routes.ts'
import { eraseDueAccounts } from './account/deletion/erasure.ts'
import { deletionRoutes } from './account/deletion/routes.ts'
import { exportRoutes } from './account/export/routes.ts'
import { mfaRoutes } from './account/mfa/routes.ts'
import { accountPages } from './account/pages.ts'
import { passkeyRoutes } from './account/passkeys/routes.ts'
import { profileRoutes } from './account/profile/routes.ts'
import { ownSessionsRoutes } from './account/sessions/routes.ts'
import { ssoLinkRoutes } from './account/sso/routes.ts'
import { isKnownOrigin } from './applications/clients.ts'
import { clientsSection } from './applications/declare/clients.ts'
import { resourcesSection } from './applications/declare/resources.ts'
import { applicationsSection } from './applications/declare.ts'
import { registrationTokenRoutes } from './applications/registration-tokens/routes.ts'
import { resourceRoutes } from './applications/resources/routes.ts'
import { applicationsRoutes } from './applications/routes.ts'
import { createNeededKeys } from './applications/signing-algorithm.ts'
import { logAuditHead } from './audit/chain/head.ts'
import { auditCollector } from './audit/chain/metrics.ts'
import { pruneAuditLog } from './audit/chain/retention.ts'
import { extendAuditChain } from './audit/chain/service.ts'
import { maintainAuditPartitions } from './audit/partitions.ts'
import { auditRoutes } from './audit/routes.ts'
import { auditStreamsCollector } from './audit/streams/metrics.ts'
import { streamAuditLog } from './audit/streams/service.ts'
import { logos } from './branding/logos.ts'
import { brandingRoutes } from './branding/routes.ts'
import type { Config } from './config.ts'
import { consoleFiles } from './console/files.ts'
import { consolePages } from './console/pages.ts'
import type { Ctx } from './context.ts'
import { STATEMENTS } from './db/instrumentation.ts'
import type { Section } from './declaration/section.ts'
import { ATTEMPTS, webhooksCollector } from './events/dispatch/metrics.ts'
import { dispatchWebhooks } from './events/dispatch/service.ts'
import { fanOutEvents } from './events/fan-out/service.ts'
import { eventsRoutes } from './events/routes.ts'
import { sweepDeliveries } from './events/sweep/service.ts'
import { apiReference } from './http/docs/docs.tsx'
import { guidePages, guideSearch } from './http/guide/guide.tsx'
import { deleteExpiredKeys } from './http/idempotency/idempotency.ts'
import type { Collector } from './http/metrics/collectors.ts'
import { metricsFile } from './http/metrics/metrics.ts'
import { type AppRoutes, type RouteDependencies, registerRoutes } from './http/routing/register.ts'
import { healthRoutes } from './http/server/health.ts'
import { homePage } from './http/server/home.tsx'
import { createServer } from './http/server/server.ts'
import { expireInvitationsJob } from './invitations/expiry.ts'
import { invitationPages } from './invitations/pages.tsx'
import { invitationsRoutes } from './invitations/routes.ts'
import { createInvitation } from './invitations/service.ts'
import type { Job } from './jobs/job.ts'
import { jobsCollector } from './jobs/metrics.ts'
import { keysCollector } from './keys/metrics.ts'
import type { CounterDefinition } from './lib/metrics/metrics.ts'
import { SHED } from './lib/metrics/queue-metrics.ts'
import { licensingAdminRoutes } from './licensing/admin-routes.ts'
import { subscriptionsSection } from './licensing/declare/subscriptions.ts'
import { licenseTypesSection } from './licensing/declare.ts'
import { licensingRoutes } from './licensing/routes.ts'
import { recordLapsedSubscriptions } from './licensing/subscriptions/service.ts'
import { tenantLicensesRoutes } from './licensing/tenant-routes.ts'
import { mailboxPages, mailboxRoutes } from './mail/mailbox.tsx'
import { DELIVERIES, mailCollector } from './mail/metrics.ts'
import { deliverMail } from './mail/outbox.ts'
import { mailTemplatesSection, tenantMailTemplatesSection } from './mail-templates/declare.ts'
import { mailTemplatesRoutes } from './mail-templates/routes.ts'
import { sendLogouts } from './oauth/back-channel-logout/dispatch.ts'
import { LOGOUT_ATTEMPTS, logoutsCollector } from './oauth/back-channel-logout/metrics.ts'
import { logoutDeliveryRoutes } from './oauth/back-channel-logout/routes.ts'
import { devicePages } from './oauth/device/pages.tsx'
import { logoutPages } from './oauth/logout-pages.tsx'
import { TOKEN_REQUESTS, TOKEN_REUSE } from './oauth/metrics.ts'
import { authorizePages } from './oauth/pages.tsx'
import { registrationRoutes } from './oauth/registration/routes.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { signingKeyRoutes } from './oauth/signing-keys/routes.ts'
import { maintainKeys } from './oauth/signing-keys/service.ts'
import { sweepExpired } from './oauth/sweep.ts'
import { authenticate } from './oauth/verify-access-token.ts'
import { overviewRoutes } from './overview/routes.ts'
import { consolidateUserCounts } from './people/directory.ts'
import { peopleRoutes } from './people/routes.ts'
import { findUrlBrand } from './sessions/brand.ts'
import { findSupportPage } from './sessions/browser-session.ts'
import { mailSignInCode } from './sessions/email-codes/request.ts'
import { SECOND_FACTORS, SIGN_INS } from './sessions/metrics.ts'
import { findPageLanguage } from './sessions/page-language.ts'
import { sessionPages } from './sessions/pages.ts'
import { passkeySignInRoutes } from './sessions/passkeys/routes.ts'
import { mailPasswordReset } from './sessions/password-reset.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { ssoPages } from './sso/pages.tsx'
import { sweepSsoAttempts } from './sso/sweep.ts'
import { supportPages } from './support-access/pages.tsx'
import { supportRoutes } from './support-access/routes.ts'
import { closeSupportAccess } from './support-access/sweep.ts'
import { tenantAdministrationRoutes } from './tenants/administration/routes.ts'
import { tenantsSection } from './tenants/declare.ts'
import { tenantsRoutes } from './tenants/routes.ts'
import { withTenant } from './tenants/tenant-scope.ts'
import { brandSheets } from './ui/brand-sheet.ts'
import { docsFiles } from './ui/docs-files.ts'
import { fonts } from './ui/fonts.ts'
import { icons } from './ui/icons.ts'
import { scripts } from './ui/scripts.ts'
import { stylesheet } from './ui/stylesheet.ts'
import { usersSection } from './users/declare.ts'
import { reencryptTotpSecrets } from './users/factors/totp-encryption.ts'
import { sweepPasskeyChallenges } from './users/passkeys/challenges.ts'

/** Every route, page and file of the service. Some exist only with the settings that they serve. */
export function listRoutes(config: Config): AppRoutes {
  const { mailbox } = config.mail
  const routes = [
    ...oauthRoutes,
    ...(config.clientRegistration === 'off' ? [] : registrationRoutes),
    ...(config.supportAccess ? supportRoutes : []),
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
    ...tenantAdministrationRoutes(createInvitation),
    ...invitationsRoutes,
    ...licensingRoutes,
    ...licensingAdminRoutes,
    ...tenantLicensesRoutes,
    ...eventsRoutes,
    ...applicationsRoutes,
    ...resourceRoutes,
    ...registrationTokenRoutes,
    ...logoutDeliveryRoutes,
    ...brandingRoutes,
    ...mailTemplatesRoutes,
    ...signingKeyRoutes,
    ...auditRoutes,
    ...peopleRoutes,
    ...overviewRoutes,
    ...healthRoutes,
    ...(mailbox ? mailboxRoutes : []),
  ]
  const reference = apiReference(routes, config)
  return {
    routes,
    pages: [
      homePage,
      ...sessionPages,
      ...accountPages,
      ...ssoPages,
      ...invitationPages,
      ...authorizePages,
      ...devicePages,
      ...logoutPages,
      ...(config.supportAccess ? supportPages : []),
      ...reference.pages,
      ...guidePages,
      ...consolePages,
      ...(mailbox ? mailboxPages : []),
    ],
    files: [stylesheet, ...scripts, ...icons, ...reference.files, guideSearch],
    folders: [fonts, brandSheets, docsFiles, logos, consoleFiles()],
  }
}

/** All jobs. */
export const jobs: Job<never>[] = [
  extendAuditChain,
  logAuditHead,
  pruneAuditLog,
  maintainAuditPartitions,
  streamAuditLog,
  fanOutEvents,
  dispatchWebhooks,
  sweepDeliveries,
  sendLogouts,
  deliverMail,
  mailPasswordReset,
  mailSignInCode,
  maintainKeys,
  createNeededKeys,
  sweepExpired,
  closeSupportAccess,
  sweepSsoAttempts,
  sweepPasskeyChallenges,
  deleteExpiredKeys,
  reencryptTotpSecrets,
  expireInvitationsJob,
  recordLapsedSubscriptions,
  eraseDueAccounts,
  consolidateUserCounts,
]

/** The sections of a declaration, in the order of their dependencies. */
export const sections: Section[] = [
  usersSection,
  tenantsSection,
  applicationsSection,
  clientsSection,
  resourcesSection,
  licenseTypesSection,
  subscriptionsSection,
  mailTemplatesSection,
  tenantMailTemplatesSection,
]

/** Counters that are exported from the start. Those with free labels appear with their first value. */
export const counters: CounterDefinition[] = [
  SIGN_INS,
  SECOND_FACTORS,
  TOKEN_REQUESTS,
  TOKEN_REUSE,
  DELIVERIES,
  ATTEMPTS,
  LOGOUT_ATTEMPTS,
  STATEMENTS,
  SHED,
]

/** Collectors that query the database for a scrape. Mail in the demo mailbox is not queued, so it is not counted. */
export const collectors = ({ mail, auditStreams }: Config): Collector[] => [
  jobsCollector(jobs),
  auditCollector,
  webhooksCollector,
  logoutsCollector,
  keysCollector,
  ...(auditStreams.length > 0 ? [auditStreamsCollector(auditStreams)] : []),
  ...(mail.mailbox ? [] : [mailCollector]),
]

/** Functions of the slices that the HTTP layer depends on. */
export const dependencies: RouteDependencies = {
  authenticate,
  withTenant,
  isKnownOrigin,
  brandOf: findUrlBrand,
  findPageLanguage,
  findSupportPage,
}

export function buildApp(ctx: Ctx): FastifyInstance {
  const app = createServer(ctx)
  const routes = listRoutes(ctx.config)
  for (const counter of counters) ctx.metrics.startAtZero(counter)
  const files = [...routes.files, metricsFile(ctx, collectors(ctx.config))]
  registerRoutes(app, ctx, { ...routes, files }, dependencies)
  return app
}
