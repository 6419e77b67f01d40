import type { TSchema } from 'typebox'
import { ERRORS } from '../../errors.ts'
import { groupBy } from '../../lib/group-by.ts'
import { Layout } from '../../ui/layout.tsx'
import { COMMON_ERRORS, impliedErrors } from '../errors/errors.ts'
import type { Route } from '../routing/define-route.ts'

/** The API reference as HTML: every route with its fields and errors. Loads no external resources. */
export const DocsPage = ({ routes }: { routes: Route[] }) => (
  <Layout title="API" wide>
    <h1>API</h1>
    <p>
      Every address of this service, what it takes and what it answers. Programs read the same from{' '}
      <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).
    </p>
    {[...groupBy(routes, (route) => route.tag)].map(([tag, group]) => (
      <section key={tag}>
        <h2>{tag}</h2>
        {group.map((route) => (
          <RouteEntry key={`${route.method} ${route.path}`} route={route} />
        ))}
      </section>
    ))}
    <section>
      <h2>Errors any route may answer</h2>
      <ErrorTable codes={COMMON_ERRORS} />
    </section>
  </Layout>
)

const RouteEntry = ({ route }: { route: Route }) => (
  <details>
    <summary>
      <span class="tag">{route.method}</span> <code>{route.path}</code> <span class="quiet">{route.summary}</span>
    </summary>
    <Fields title="Path" schema={route.params} />
    <Fields title="Query" schema={route.query} />
    <Fields title={route.bodyType === 'form' ? 'Form' : 'Body'} schema={route.body} />
    {Object.entries(route.reply).map(([status, schema]) => (
      <Fields key={status} title={`Answer ${status}`} schema={schema} />
    ))}
    <ErrorTable codes={[...impliedErrors(route), ...route.errors]} />
    {route.oauthErrors && (
      <p class="quiet">
        OAuth errors: <code>{route.oauthErrors.join(', ')}</code>
      </p>
    )}
  </details>
)

interface ObjectSchema {
  type?: string
  items?: TSchema
  properties?: Record<string, { type?: string; description?: string; enum?: unknown[] }>
  required?: string[]
}

function Fields({ title, schema }: { title: string; schema: TSchema | undefined }) {
  if (!schema) return null
  const outer = schema as ObjectSchema
  const { properties = {}, required = [] } = (outer.type === 'array' ? outer.items : outer) as ObjectSchema
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{outer.type === 'array' ? `${title}, a list of` : title}</th>
            <th scope="col">Type</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(properties).map(([name, property]) => (
            <tr key={name}>
              <td>
                <code>{name}</code>
                {!required.includes(name) && <span class="quiet"> optional</span>}
              </td>
              <td>{property.type ?? 'any'}</td>
              <td>{property.description}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const ErrorTable = ({ codes }: { codes: readonly (keyof typeof ERRORS)[] }) => (
  <div class="scroll" hidden={codes.length === 0}>
    <table>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Error</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {codes.map((code) => (
          <tr key={code}>
            <td>{ERRORS[code][0]}</td>
            <td>
              <code>{code}</code>
            </td>
            <td>{ERRORS[code][1]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
