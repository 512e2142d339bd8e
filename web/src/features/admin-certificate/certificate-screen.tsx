import {
  type Certificate,
  type CertificateWrite,
  certificateOrientations,
  certificatePapers,
  certificatePictures,
  certificatePlaceholders,
} from '@capstan/contract/certificates'
import type { AdminGame } from '@capstan/contract/games'
import { ownOperations } from '@capstan/contract/operations'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { SaveBar } from '../../components/editing/save-bar.tsx'
import { useDraft } from '../../components/editing/use-draft.ts'
import { Card } from '../../components/ui/card.tsx'
import { DownloadButton } from '../../components/ui/download-link.tsx'
import { Field, Switch } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Input, Select, Textarea } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { useNow } from '../../components/ui/time.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { addressOfCall, call } from '../../lib/http.ts'
import { languages, toSupportedLanguage } from '../../lib/languages.ts'
import { refreshCall, setCallData } from '../../lib/server-state.ts'
import { type CertificateTextField, findCertificateFaults, maxLengths, toCertificateForm } from './certificate-form.ts'
import { CertificatePictureField } from './picture-field.tsx'
import { CertificatePreviewCard } from './preview-card.tsx'

const placeholders = certificatePlaceholders.map((name) => `{${name}}`).join(' ')

type CertificateScreenProps = Readonly<{
  game: AdminGame
  stored: Certificate
}>

/** Template of the certificates of a game, with a preview. */
export function CertificateScreen({ game, stored }: CertificateScreenProps) {
  const { t, i18n } = useTranslation('admin-certificate')
  const now = useNow()
  const [round, setRound] = useState(0)
  const params = { id: game.id }
  const example = {
    ...{ title: t('example.title'), text: t('example.text'), participationText: t('example.participationText') },
    language: toSupportedLanguage(i18n.language),
  }
  const draft = useDraft<CertificateWrite>(`certificate-${game.id}`, toCertificateForm(stored, example))
  const faults = findCertificateFaults(draft.value)
  const show = async (next: Certificate) => {
    await setCallData([ownOperations.getCertificate, { params }], next)
    setRound((known) => known + 1)
  }
  const save = useAction(async () => {
    // Read the changes of other users first, because PUT replaces every field.
    const latest = await call(ownOperations.getCertificate, { params })
    await setCallData([ownOperations.getCertificate, { params }], latest)
    const form = toCertificateForm(latest, example)
    if (draft.conflictsWith(form).length > 0) return
    await show(await call(ownOperations.updateCertificate, { params, body: { ...form, ...draft.changes } }))
    draft.settle(draft.changes)
    await refreshCall(ownOperations.getCertificate, { params })
    showToast({ tone: 'ok', title: t('saved') })
  })
  const refusal = toFormRefusal(save.error, Object.keys(draft.value) as (keyof CertificateWrite)[])
  const set = (patch: Partial<CertificateWrite>) => {
    save.reset()
    draft.set(patch)
  }
  const errorOf = (field: CertificateTextField) => {
    const fault = faults[field]
    if (!fault) return refusal.of(field)
    return fault.kind === 'missing' ? t('fault.missing') : t('fault.placeholder', { placeholder: fault.placeholder })
  }
  const isOver = Date.parse(game.end) < now
  const textOf = (field: CertificateTextField) => ({
    value: draft.value[field],
    maxLength: maxLengths[field],
    onChange: (event: { readonly target: { readonly value: string } }) => set({ [field]: event.target.value }),
  })
  return (
    <>
      <div className="columns">
        <div className="stack">
          <Card title={t('card.text')}>
            <div className="stack">
              <Switch
                label={t('field.isEnabled')}
                hint={t('hint.isEnabled')}
                checked={draft.value.isEnabled}
                onCheckedChange={(isEnabled) => set({ isEnabled })}
              />
              <Field label={t('field.title')} error={errorOf('title')}>
                {(control) => <Input {...control} dir="auto" {...textOf('title')} />}
              </Field>
              <Field label={t('field.text')} hint={t('hint.text', { placeholders })} error={errorOf('text')}>
                {(control) => <Textarea {...control} dir="auto" rows={8} {...textOf('text')} />}
              </Field>
              <Field label={t('field.participationText')} hint={t('hint.participationText')} error={errorOf('participationText')}>
                {(control) => <Textarea {...control} dir="auto" rows={5} {...textOf('participationText')} />}
              </Field>
              <Field label={t('field.signer')} error={errorOf('signer')} optional>
                {(control) => <Input {...control} dir="auto" {...textOf('signer')} />}
              </Field>
            </div>
          </Card>
          <Card title={t('card.page')}>
            <div className="stack">
              <div className="pair">
                <Field label={t('field.paper')}>
                  {(control) => (
                    <Select
                      {...control}
                      value={draft.value.paper}
                      onValueChange={(paper) => set({ paper })}
                      options={certificatePapers.map((value) => ({ value, label: value }))}
                    />
                  )}
                </Field>
                <Field label={t('field.orientation')}>
                  {(control) => (
                    <Select
                      {...control}
                      value={draft.value.orientation}
                      onValueChange={(orientation) => set({ orientation })}
                      options={certificateOrientations.map((value) => ({ value, label: t(`orientation.${value}`) }))}
                    />
                  )}
                </Field>
              </div>
              <Field label={t('field.language')}>
                {(control) => (
                  <Select
                    {...control}
                    value={draft.value.language}
                    onValueChange={(language) => set({ language })}
                    options={languages.map(({ code, label }) => ({ value: code, label }))}
                  />
                )}
              </Field>
            </div>
          </Card>
        </div>
        <div className="stack">
          <CertificatePreviewCard gameId={game.id} hasTemplate={stored.title !== ''} round={round} />
          <Card title={t('card.pictures')}>
            <div className="stack gap-6">
              {certificatePictures.map((picture) => (
                <CertificatePictureField
                  key={picture}
                  gameId={game.id}
                  picture={picture}
                  address={stored[picture]}
                  onChange={(next) => void show(next)}
                />
              ))}
            </div>
          </Card>
          <Card title={t('card.download')}>
            <div className="stack gap-2">
              <p className="small muted">{isOver ? t('download.hint') : t('download.early')}</p>
              {isOver && stored.title !== '' && (
                <div className="row">
                  <DownloadButton href={addressOfCall(ownOperations.downloadCertificates, { params })}>
                    <Download aria-hidden />
                    {t('download.all')}
                  </DownloadButton>
                </div>
              )}
            </div>
          </Card>
        </div>
      </div>
      <SaveBar
        draft={draft}
        labelOf={(field) => t(`field.${field}`)}
        busy={save.busy}
        error={save.error}
        refused={refusal.field}
        faulty={Object.keys(faults) as CertificateTextField[]}
        onSave={() => void save.run()}
        onDiscard={save.reset}
      />
    </>
  )
}
