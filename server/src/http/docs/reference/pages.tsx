import type { ComponentChildren } from 'preact'
import { ERRORS } from '../../../errors.ts'
import { DocsLayout } from '../../../ui/docs-layout.tsx'
import { COMMON_ERRORS } from '../../errors/errors.ts'
import { ErrorTable, Method, OperationSection } from './operation.tsx'
import type { Reference, Resource } from './operations.ts'
import { LANGUAGES } from './samples.ts'
import { GUIDE_SEARCH_PATH, SEARCH_PATH } from './search.ts'

interface PageProps {
  reference: Reference
}

const ReferenceLayout = ({ title, reference, current, children }: ReferenceLayoutProps) => (
  <DocsLayout
    title={`${title} · API reference`}
    area="reference"
    search={`${SEARCH_PATH} ${GUIDE_SEARCH_PATH}`}
    tools={current ? <LanguageSwitch /> : undefined}
    sidebar={<Sidebar reference={reference} current={current} />}
  >
    {children}
  </DocsLayout>
)

interface ReferenceLayoutProps extends PageProps {
  title: string
  current?: Resource
  children: ComponentChildren
}

const Sidebar = ({ reference, current }: PageProps & { current: Resource | undefined }) => (
  <>
    <a class="sidebar-top" href="/docs" {...(!current && { 'aria-current': 'page' as const })}>
      Overview
    </a>
    {reference.resources.map(({ name, path, operations }) => (
      <details key={name} open={name === current?.name}>
        <summary>{name}</summary>
        <ul>
          {operations.map(({ id, method, summary }) => (
            <li key={id}>
              <a href={`${path}#${id}`}>
                <span>{summary}</span> <Method name={method} />
              </a>
            </li>
          ))}
        </ul>
      </details>
    ))}
  </>
)

/** One choice for all examples of the page. The style sheet shows the chosen language, so it works without script. */
const LanguageSwitch = () => (
  <fieldset class="languages">
    <legend>Language of the examples</legend>
    {LANGUAGES.map(({ id, name }, index) => (
      <label key={id}>
        <input type="radio" name="language" id={`language-${id}`} value={id} checked={index === 0} />
        <span>{name}</span>
      </label>
    ))}
  </fieldset>
)

export function ResourcePage({ reference, name }: PageProps & { name: string }) {
  const resource = reference.resources.find((candidate) => candidate.name === name)
  if (!resource) throw new Error(`no operation has the tag ${name}`)
  return (
    <ReferenceLayout title={resource.name} reference={reference} current={resource}>
      <header class="page-head">
        <p class="topic">API reference</p>
        <h1>{resource.name}</h1>
        <p class="lead">{resource.description}</p>
        <ul class="operation-list">
          {resource.operations.map(({ id, method, path, summary }) => (
            <li key={id}>
              <a href={`#${id}`}>
                <Method name={method} /> <code>{path}</code> <span>{summary}</span>
              </a>
            </li>
          ))}
        </ul>
      </header>
      {resource.operations.map((operation) => (
        <OperationSection key={operation.id} operation={operation} reference={reference} />
      ))}
    </ReferenceLayout>
  )
}

export const OverviewPage = ({ reference }: PageProps) => (
  <ReferenceLayout title="Overview" reference={reference}>
    <header class="page-head">
      <p class="topic">Latchkey {reference.version}</p>
      <h1>API</h1>
      <p class="lead">
        Every operation of this service: what it takes, what it answers, and an example to copy in curl, JavaScript,
        Python and Go. Programs read the same from <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).
      </p>
    </header>
    <Basics baseUrl={reference.baseUrl} />
    <section class="text">
      <h2 id="operations">All operations</h2>
      {reference.resources.map((resource) => (
        <ResourceList key={resource.name} {...resource} />
      ))}
    </section>
    <section class="text">
      <h2 id="errors">Errors of every operation</h2>
      <p>
        Besides its own errors, every operation may answer with these. All errors and their meaning are in the{' '}
        <a href="/guide/errors">list of errors</a>.
      </p>
      <ErrorTable
        errors={COMMON_ERRORS.map((code) => ({ status: String(ERRORS[code][0]), code, meaning: ERRORS[code][1] }))}
      />
    </section>
  </ReferenceLayout>
)

/** Where a sign-in for "Try it" ends. The script goes back to the operation. */
export const CallbackPage = ({ reference }: PageProps) => (
  <ReferenceLayout title="Signed in" reference={reference}>
    <h1>You are signed in</h1>
    <p>
      Go on with the <a href="/docs">API reference</a>.
    </p>
  </ReferenceLayout>
)

const ResourceList = ({ name, path, description, operations }: Resource) => (
  <>
    <h3>
      <a href={path}>{name}</a>
    </h3>
    <p>{description}</p>
    <ul class="operation-list">
      {operations.map((operation) => (
        <li key={operation.id}>
          <a href={`${path}#${operation.id}`}>
            <Method name={operation.method} /> <code>{operation.path}</code> <span>{operation.summary}</span>
          </a>
        </li>
      ))}
    </ul>
  </>
)

const Basics = ({ baseUrl }: { baseUrl: string }) => (
  <section class="text">
    <h2 id="base-url">Base URL</h2>
    <p>
      All paths are relative to <code>{baseUrl}</code>. Bodies are JSON in UTF-8; the endpoints of OAuth take forms.
    </p>
    <h2 id="authentication">Authentication</h2>
    <p>
      Send an access token in the header <code>Authorization: Bearer …</code>. People get one by signing in to an
      application, machine clients with their id and secret. For a first try, <code>latchkey token</code> prints one.
      Each operation says who may call it. <a href="/guide/openid-connect">OpenID Connect</a> explains the flows.
    </p>
    <h2 id="lists">Lists</h2>
    <p>
      Lists come in pages: <code>page</code> starts at 1 and <code>limit</code> is 20 if you do not send it. The field{' '}
      <code>pagination</code> of the answer has the total.
    </p>
    <h2 id="repetition">Repeating a request</h2>
    <p>
      Operations with the header <code>Idempotency-Key</code> can be repeated safely: the same key gets the first answer
      for a day. After 429 and 503, wait for the seconds in <code>Retry-After</code>.
    </p>
    <h2 id="error-body">Errors</h2>
    <p>
      An error has the fields <code>statusCode</code>, <code>error</code>, <code>message</code> and{' '}
      <code>requestId</code>. Decide by <code>error</code>, which is stable. <code>message</code> is for people and may
      change. <code>requestId</code> finds the request in the log.
    </p>
  </section>
)
