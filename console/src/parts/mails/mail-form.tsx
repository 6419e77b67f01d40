import { Button, Code, Group, Stack, Table, Text, Textarea, TextInput } from '@mantine/core'
import { mails as text } from '../../text/mails.ts'
import { shell } from '../../text/shell.ts'
import { useConfirm } from '../../ui/confirm.tsx'
import { Section } from '../../ui/section.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { useKeptFocus } from '../../ui/use-kept-focus.ts'
import type { Texts } from './draft.ts'
import type { MailTemplate } from './mails-api.ts'
import type { MailEditorState } from './use-mail.ts'

/** The fields of a mail, its variables, and what can be done with it. */
export function MailForm({ mail, template }: { mail: MailEditorState; template: MailTemplate }) {
  const { draft, setText, form, fieldErrors } = mail
  const field = (name: keyof Texts) => ({
    label: text.fields[name],
    value: draft[name],
    error: fieldErrors[name],
    autoComplete: 'off',
    required: true,
    withAsterisk: false,
  })
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <Stack>
        {form.generalError !== undefined && <ErrorAlert error={form.generalError} />}
        <TextInput {...field('subject')} onChange={(event) => setText('subject', event.currentTarget.value)} />
        <TextInput {...field('heading')} onChange={(event) => setText('heading', event.currentTarget.value)} />
        <Textarea
          {...field('text')}
          description={text.textHint}
          autosize
          minRows={6}
          maxRows={20}
          onChange={(event) => setText('text', event.currentTarget.value)}
        />
        <TextInput {...field('button')} onChange={(event) => setText('button', event.currentTarget.value)} />
        <Actions mail={mail} isEdited={template.updatedAt !== null} />
        <Variables variables={template.variables} />
      </Stack>
    </form>
  )
}

function Actions({ mail, isEdited }: { mail: MailEditorState; isEdited: boolean }) {
  const [dialog, ask] = useConfirm()
  const saveButton = useKeptFocus(mail.form.busy)
  const question = { title: text.resetQuestion, text: text.resetText, action: text.reset }
  return (
    <Group gap="sm">
      {dialog}
      <Button ref={saveButton} type="submit" loading={mail.form.busy}>
        {shell.save}
      </Button>
      <Button variant="default" onClick={mail.sendTest} loading={mail.isSendingTest}>
        {text.sendTest}
      </Button>
      {isEdited && (
        <Button variant="subtle" color="red" onClick={() => ask(question, mail.reset)}>
          {text.reset}
        </Button>
      )}
    </Group>
  )
}

const Variables = ({ variables }: Pick<MailTemplate, 'variables'>) => (
  <Section title={text.variables} lead={text.variablesLead}>
    <Table aria-label={text.variables} withRowBorders={false} verticalSpacing={4} horizontalSpacing={0}>
      <Table.Tbody>
        {variables.map((name) => (
          <Table.Tr key={name}>
            <Table.Td w={150} pe="md">
              <Code>{`{{${name}}}`}</Code>
            </Table.Td>
            <Table.Td>
              <Text size="sm">{text.meanings[name] ?? name}</Text>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Section>
)
