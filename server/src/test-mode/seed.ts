import { sections } from '../app.ts'
import type { Ctx } from '../context.ts'
import { applyDeclaration } from '../declaration/apply.ts'
import { checkDeclaration, parseYaml } from '../declaration/file.ts'
import type { Declaration, Entry } from '../declaration/section.ts'
import { AppError, OperatorError } from '../errors.ts'
import { parseEmail } from '../lib/email.ts'
import type { SeedBody } from './schema.ts'
import { findIds } from './seed-store.ts'

/** How errors name the declaration. */
const NAME = 'The body'

/** Applies a declaration and returns the ids of the objects that it lists. */
export async function seed(ctx: Ctx, content: unknown): Promise<SeedBody> {
  const declaration = await asRequestError(async () => {
    // Without variables: a caller must not be able to read the environment of the process.
    const { declaration } = checkDeclaration(NAME, content, { sections, env: {} })
    await applyDeclaration(ctx, sections, { declaration, prune: false, approve: () => {} })
    return declaration
  })
  // The caches must not answer the next request from before these changes.
  await ctx.changes.waitUntilCurrent()
  const list = (section: keyof SeedBody, toName: (entry: Entry) => string) =>
    findIds(ctx.db, section, namesOf(declaration, section, toName))
  return {
    users: await list('users', ({ email }) => parseEmail(String(email)) ?? ''),
    tenants: await list('tenants', ({ slug }) => String(slug)),
    applications: await list('applications', ({ slug }) => String(slug)),
    clients: await list('clients', ({ clientId }) => String(clientId)),
    licenseTypes: await list('licenseTypes', ({ application, slug }) => `${application}/${slug}`),
    subscriptions: await list(
      'subscriptions',
      ({ tenant, application, licenseType }) => `${tenant}/${application}/${licenseType}`,
    ),
  }
}

const namesOf = (declaration: Declaration, section: string, toName: (entry: Entry) => string): string[] =>
  (declaration[section] ?? []).map((entry) => toName(entry as Entry))

/** Parses a request body in YAML. */
export const parseYamlBody = (text: string): Promise<unknown> => asRequestError(async () => parseYaml(NAME, text) ?? {})

/** An invalid declaration is the mistake of the caller here, not of the operator. */
async function asRequestError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    throw new AppError('VALIDATION_FAILED', { message: error.message.replace(/\s+/g, ' '), cause: error })
  }
}
