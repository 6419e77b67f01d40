import { groupBy } from '../../../lib/group-by.ts'
import { Code } from './code.tsx'
import { Fields, Parameters } from './fields.tsx'
import type { Operation, OperationError, Parameter, Reference, Reply } from './operations.ts'
import { Prose } from './prose.tsx'
import { createSampleRequest, exampleOf, sampleBodyOf } from './request.ts'
import { LANGUAGES } from './samples.ts'

interface OperationProps {
  operation: Operation
  reference: Reference
}

export const Method = ({ name }: { name: string }) => <span class={`method ${name.toLowerCase()}`}>{name}</span>

/** An operation with everything that a caller needs to know. Without script it is complete; the script adds "Try it". */
export function OperationSection({ operation, reference }: OperationProps) {
  const { id, method, path, summary, description } = operation
  return (
    <section class="operation" id={id} aria-labelledby={`${id}-title`} data-operation={describeForScript(operation)}>
      <div class="about">
        <h2 id={`${id}-title`}>
          <a class="anchor" href={`#${id}`}>
            {summary}
          </a>
        </h2>
        <p class="route">
          <Method name={method} /> <code>{path}</code>
        </p>
        <p>
          <Prose text={description} />
        </p>
        <Input operation={operation} schemas={reference.schemas} />
        {operation.replies.map((reply) => (
          <ReplyFields key={reply.status} reply={reply} schemas={reference.schemas} />
        ))}
        <Errors errors={operation.errors} />
      </div>
      <Samples operation={operation} baseUrl={reference.baseUrl} />
    </section>
  )
}

function Input({ operation, schemas }: { operation: Operation; schemas: Reference['schemas'] }) {
  const { body } = operation
  const parametersIn = (place: Parameter['in']) => operation.parameters.filter((parameter) => parameter.in === place)
  return (
    <>
      <Parameters title="Path" parameters={parametersIn('path')} />
      <Parameters title="Query" parameters={parametersIn('query')} />
      <Parameters title="Headers" parameters={parametersIn('header')} />
      {body && (
        <>
          <h3>
            {body.mediaType === 'application/json' ? 'Body' : 'Form'}{' '}
            {!body.required && <span class="quiet">may be omitted</span>}
          </h3>
          <Fields schema={body.schema} schemas={schemas} />
        </>
      )}
    </>
  )
}

const ReplyFields = ({ reply, schemas }: { reply: Reply; schemas: Reference['schemas'] }) => (
  <>
    <h3>
      Answer {reply.status} <span class="quiet">{reply.mediaType}</span>
    </h3>
    {reply.headers.map(({ name, description }) => (
      <p key={name}>
        Header <code>{name}</code>: {description}.
      </p>
    ))}
    <Fields schema={reply.schema} schemas={schemas} />
  </>
)

const Errors = ({ errors }: { errors: OperationError[] }) =>
  errors.length === 0 ? null : (
    <details class="errors">
      <summary>
        Errors <span class="quiet">{errors.length}</span>
      </summary>
      <ErrorTable errors={errors} />
    </details>
  )

export const ErrorTable = ({ errors }: { errors: OperationError[] }) => (
  <div class="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Error</th>
        </tr>
      </thead>
      <tbody>
        {[...groupBy(errors, ({ status }) => status)].flatMap(([status, group]) =>
          group.map(({ code, meaning }, index) => (
            <tr key={code}>
              {index === 0 && (
                <th scope="rowgroup" rowSpan={group.length}>
                  {status}
                </th>
              )}
              <td>
                <code>{code}</code>
                {meaning && <p>{meaning}</p>}
              </td>
            </tr>
          )),
        )}
      </tbody>
    </table>
  </div>
)

function Samples({ operation, baseUrl }: { operation: Operation; baseUrl: string }) {
  const request = createSampleRequest(operation, baseUrl)
  return (
    <div class="samples">
      {LANGUAGES.map(({ id, name, write }) => (
        <Code
          key={id}
          language={id}
          title={
            <>
              <Method name={operation.method} /> <code>{operation.path}</code> <span class="language-name">{name}</span>
            </>
          }
          code={write(request)}
        />
      ))}
      {operation.replies
        .filter(({ example }) => example !== undefined)
        .map(({ status, example }) => (
          <Code key={status} language="reply" title={`Answer ${status}`} code={JSON.stringify(example, null, 2)} />
        ))}
    </div>
  )
}

/** What "Try it" needs to know. */
const describeForScript = (operation: Operation): string => {
  const { method, path, authentication, parameters, body } = operation
  return JSON.stringify({
    method,
    path,
    authentication,
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      required: parameter.required,
      example: exampleOf(parameter),
    })),
    ...(body && { mediaType: body.mediaType, body: sampleBodyOf(operation) }),
  })
}
