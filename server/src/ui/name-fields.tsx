import { Field } from './form.tsx'

interface NameFieldsProps {
  givenName: string | undefined
  familyName: string | undefined
  /** The fields to which the error message applies. */
  wrongFields: string[]
}

/** The names of a person, asked in the same way wherever an account is created. */
export const NameFields = ({ givenName, familyName, wrongFields }: NameFieldsProps) => (
  <>
    <Field
      label="Given name"
      name="givenName"
      type="text"
      autocomplete="given-name"
      value={givenName}
      describedBy={wrongFields.includes('givenName') ? 'problem' : undefined}
    />
    <Field
      label="Family name"
      name="familyName"
      type="text"
      autocomplete="family-name"
      value={familyName}
      describedBy={wrongFields.includes('familyName') ? 'problem' : undefined}
    />
  </>
)
