import type { Client } from '../applications/clients.ts'
import { findScopeText } from '../applications/consents/scope-texts.ts'
import type { Resource } from '../applications/resources.ts'
import { t } from '../languages/translate.ts'
import type { BrowserSession } from '../sessions/browser-session.ts'
import { Form } from '../ui/form.tsx'
import { Layout } from '../ui/layout.tsx'
import { rich } from '../ui/rich-text.ts'
import type { ActiveMembership } from './store.ts'

interface StepProps {
  action: string
  csrf: string
  application: string
  session: BrowserSession
  /** Signs in as somebody else and returns to this authorization. */
  otherAccount: string
}

export const AccountPage = ({ action, csrf, application, session }: StepProps) => (
  <Layout title={t('Choose an account')}>
    <h1>{t('Choose an account')}</h1>
    <p class="quiet">
      {rich('to continue to <b>{application}</b>', { application, b: (text) => <strong>{text}</strong> })}
    </p>
    <Form action={action} csrf={csrf}>
      <input type="hidden" name="session" value={session.id} />
      <button type="submit" name="choice" value="this" class="choice">
        <span class="subject">{session.displayName}</span>
        <span class="quiet">{session.email}</span>
      </button>
      <button type="submit" name="choice" value="other" class="choice">
        {t('Use another account')}
      </button>
    </Form>
  </Layout>
)

export const TenantPage = ({
  action,
  csrf,
  application,
  session,
  memberships,
  otherAccount,
}: StepProps & { memberships: ActiveMembership[] }) => (
  <Layout title={t('Choose an organization')}>
    <h1>{t('Choose an organization')}</h1>
    <p class="quiet">
      {rich('to continue to <b>{application}</b> as {email}', {
        application,
        email: session.email,
        b: (text) => <strong>{text}</strong>,
      })}
    </p>
    <Form action={action} csrf={csrf}>
      {memberships.map(({ id, name, slug, role }) => (
        <button key={id} type="submit" name="tenant" value={id} class="choice">
          <span class="subject">{name}</span>
          <span class="quiet">
            {slug} · {t('{role, select, owner {owner} admin {admin} other {member}}', { role })}
          </span>
        </button>
      ))}
    </Form>
    <OtherAccount path={otherAccount} />
  </Layout>
)

export const ScopeList = ({ scopes }: { scopes: string[] }) => (
  <ul>
    {(scopes.length === 0 ? ['openid'] : scopes).map((scope) => (
      <li key={scope}>{findScopeText(scope) ?? <code>{scope}</code>}</li>
    ))}
  </ul>
)

interface ConsentProps extends StepProps {
  client: Pick<Client, 'clientId' | 'origin' | 'name'>
  redirectUri: string
  scopes: string[]
  resource: Resource | undefined
  tenant: string | undefined
  target: string
}

export const ConsentPage = ({
  action,
  csrf,
  application,
  client,
  redirectUri,
  session,
  scopes,
  resource,
  tenant,
  target,
  otherAccount,
}: ConsentProps) => (
  <Layout title={t('Allow access')}>
    <h1>{t('Allow {application}?', { application })}</h1>
    <p>
      {tenant === undefined
        ? rich('<b>{application}</b> wants access to your account {email}. It will be able to:', {
            application,
            email: session.email,
            b: (text) => <strong>{text}</strong>,
          })
        : rich('<b>{application}</b> wants access to your account {email} at <b>{tenant}</b>. It will be able to:', {
            application,
            email: session.email,
            tenant,
            b: (text) => <strong>{text}</strong>,
          })}
    </p>
    <ul>
      {toListed(scopes, resource).map((scope) => (
        <li key={scope}>{findScopeText(scope) ?? <code>{scope}</code>}</li>
      ))}
      {resource && <ResourceItem resource={resource} scopes={scopes} />}
    </ul>
    {client.origin === 'DOCUMENT' && <DocumentClient {...client} redirectUri={redirectUri} />}
    {client.origin === 'REGISTRATION' && <SelfRegisteredClient redirectUri={redirectUri} target={target} />}
    <Form action={action} csrf={csrf}>
      <p class="actions">
        <button type="submit" name="decision" value="allow">
          {t('Allow')}
        </button>
        <button type="submit" name="decision" value="deny" class="second">
          {t('Deny')}
        </button>
      </p>
    </Form>
    <p class="quiet after">{t('Either way you go on to {target}', { target })}</p>
    <OtherAccount path={otherAccount} />
  </Layout>
)

/** What is known of a client that nobody registered, and what it only claims. */
const DocumentClient = ({ clientId, name, redirectUri }: { clientId: string; name: string; redirectUri: string }) => {
  // Not the name of the application, which an operator may change.
  const { host } = new URL(clientId)
  return (
    <>
      <dl class="facts">
        <div>
          <dt>{t('Website')}</dt>
          <dd>
            <strong>{host}</strong>
          </dd>
        </div>
        {name !== host && (
          <div>
            <dt>{t('Calls itself')}</dt>
            <dd>{name}</dd>
          </div>
        )}
      </dl>
      <p class="caution">
        {redirectUri.startsWith('http:')
          ? t(
              'The answer goes to a program on this computer. Any program here can say that it belongs to {host} and receive it. Allow this only if you have just started it yourself.',
              { host },
            )
          : t('Nobody has registered this application here. Allow it only if you trust {host}.', { host })}
      </p>
    </>
  )
}

/** Whoever registers a client chooses its name. Where the answer goes is certain. */
const SelfRegisteredClient = ({ redirectUri, target }: { redirectUri: string; target: string }) => (
  <p class="caution">
    {redirectUri.startsWith('http:')
      ? t(
          'This application registered itself here, and nobody has checked its name. The answer goes to a program on this computer. Allow this only if you have just started it yourself.',
        )
      : rich(
          'This application registered itself here, and nobody has checked its name. The answer goes to <b>{target}</b>. Allow this only if you trust that address.',
          { target, b: (text) => <strong>{text}</strong> },
        )}
  </p>
)

/** The scopes that are listed by themselves. Those of the resource are listed with it. */
function toListed(scopes: string[], resource: Resource | undefined): string[] {
  if (resource) return scopes.filter((scope) => !resource.scopes.includes(scope))
  return scopes.length === 0 ? ['openid'] : scopes
}

const ResourceItem = ({ resource, scopes }: { resource: Resource; scopes: string[] }) => (
  <li>
    {rich('Use <b>{name}</b> (<code>{uri}</code>) for you', {
      name: resource.name,
      uri: resource.uri,
      b: (text) => <strong>{text}</strong>,
      code: (text) => <code>{text}</code>,
    })}
    <ul>
      {scopes
        .filter((scope) => resource.scopes.includes(scope))
        .map((scope) => (
          <li key={scope}>
            <code>{scope}</code>
          </li>
        ))}
    </ul>
  </li>
)

export const OtherAccount = ({ path }: { path: string }) => (
  <p class="links">
    <a href={path}>{t('Use another account')}</a>
  </p>
)
