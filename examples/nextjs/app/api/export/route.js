import { withAuth } from '@latchkey/node/next'
import { latchkey, withSession } from '../../../lib/latchkey.js'

/** Hiding a link is no protection, so the license is checked here as well. */
export const GET = withSession(
  withAuth(latchkey, { feature: 'export' }, (_request, { auth }) => Response.json({ reportsOf: auth.tenantSlug })),
)
