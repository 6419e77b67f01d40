import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import type { Ctx } from './context.ts'
import type { Section } from './declaration/section.ts'
import { docsPages, openApiAsset } from './http/docs.tsx'
import { healthRoutes } from './http/health.ts'
import { homePage } from './http/home.tsx'
import { registerAll, type Surface } from './http/register.ts'
import { createServer } from './http/server.ts'
import type { Job } from './jobs/job.ts'
import { mailboxPages, mailboxRoutes } from './mail/mailbox.tsx'
import { deliverMail } from './mail/outbox.ts'
import { stylesheet } from './ui/stylesheet.ts'
import { usersSection } from './users/declare.ts'

/** Every door of the service. The mailbox exists only where mail is not sent. */
export function surface(config: Config): Surface {
  const { mailbox } = config.mail
  const routes = [...healthRoutes, ...(mailbox ? mailboxRoutes : [])]
  return {
    routes,
    pages: [homePage, ...docsPages(routes), ...(mailbox ? mailboxPages : [])],
    assets: [stylesheet, openApiAsset(routes, config)],
  }
}

/** Work outside requests. */
export const jobs: Job<never>[] = [deliverMail]

/** What a declaration may list, in the order in which things depend on each other. */
export const sections: Section[] = [usersSection]

export function buildApp(ctx: Ctx): FastifyInstance {
  const { app, metrics } = createServer(ctx)
  const doors = surface(ctx.config)
  registerAll(app, ctx, { ...doors, assets: [...doors.assets, metrics.asset] })
  return app
}
