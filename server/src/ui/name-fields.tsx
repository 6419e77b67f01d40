import { currentLanguage } from '../languages/current-language.ts'
import type { Language } from '../languages/languages.ts'
import { t } from '../languages/translate.ts'
import { Field } from './form.tsx'

interface NameFieldsProps {
  givenName: string | undefined
  familyName: string | undefined
  /** The fields to which the error message applies. */
  wrongFields: string[]
}

/** In these languages the family name comes first. */
const FAMILY_NAME_FIRST: readonly Language[] = ['ja']

/** The names of a person, asked in the same way wherever an account is created. */
export const NameFields = ({ givenName, familyName, wrongFields }: NameFieldsProps) => {
  const fields = [
    <Field
      key="givenName"
      label={t('Given name')}
      name="givenName"
      type="text"
      autocomplete="given-name"
      value={givenName}
      describedBy={wrongFields.includes('givenName') ? 'problem' : undefined}
    />,
    <Field
      key="familyName"
      label={t('Family name')}
      name="familyName"
      type="text"
      autocomplete="family-name"
      value={familyName}
      describedBy={wrongFields.includes('familyName') ? 'problem' : undefined}
    />,
  ]
  return <>{FAMILY_NAME_FIRST.includes(currentLanguage()) ? fields.reverse() : fields}</>
}
