import { CertificateOrientation, CertificatePaper, CertificateWrite } from '@capstan/contract/certificates'
import { challengeRights, type DivisionRight, divisionRights } from '@capstan/contract/division-rights'
import { stringEnum, withSchemaOptions } from '@capstan/contract/kit'
import { defaultLanguage } from '@capstan/contract/languages'
import { Defaults, InputLimits, Limits, notEmpty, notNegative, positive } from '@capstan/contract/limits'
import { QuestionKind, QuestionScope } from '@capstan/contract/questions'
import { sourceNamePattern } from '@capstan/contract/sources'
import { SurveyMode } from '@capstan/contract/surveys'
import { type Static, Type } from 'typebox'

/** Format of the `capstan.yaml` of a game. Each challenge has a separate `capstan.yaml` in a subfolder. */

const closed = { additionalProperties: false } as const

function path(description: string) {
  return Type.String({ ...notEmpty, maxLength: InputLimits.maxFileNameLength, description })
}

function instant(description: string) {
  return Type.String({ format: 'date-time', maxLength: InputLimits.maxInstantLength, description })
}

/** Schema of a secret: either its value, or the environment variable that contains the value. */
function secret(bounds: Readonly<{ minLength: number; maxLength: number }>, description: string) {
  return Type.Union(
    [
      Type.String({ ...bounds }),
      Type.Object(
        {
          environment: Type.String({
            pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
            maxLength: InputLimits.maxWordLength,
            description: 'Environment variable of `capstan apply` with the code.',
          }),
        },
        closed,
      ),
    ],
    { description },
  )
}
export type Secret = string | { readonly environment: string }

function bonusPoints(description: string) {
  return Type.Optional(Type.Integer({ ...notNegative, maximum: InputLimits.maxScore, description }))
}

function rights<const Right extends DivisionRight>(names: readonly Right[], description: string) {
  return Type.Array(stringEnum(names), { uniqueItems: true, maxItems: names.length, description })
}

function percent(description: string) {
  return Type.Optional(Type.Number({ minimum: 0, maximum: 100, multipleOf: 0.1, description }))
}

export const GameFile = Type.Object(
  {
    apiVersion: stringEnum(['capstan/v1']),
    kind: stringEnum(['Game']),
    name: Type.String({
      pattern: sourceNamePattern,
      maxLength: InputLimits.maxWordLength,
      description: 'Name that identifies the game when the file is applied again. Never change it.',
    }),
    title: Type.String({ ...notEmpty, maxLength: InputLimits.maxTitleLength, description: 'Title for players.' }),
    hidden: Type.Optional(Type.Boolean({ default: false, description: 'Show the game only to organizers.' })),
    summary: Type.Optional(Type.String({ maxLength: InputLimits.maxShortTextLength, description: 'One or two sentences.' })),
    description: Type.Optional(
      Type.Union(
        [
          Type.String({ maxLength: InputLimits.maxLongTextLength }),
          Type.Object({ file: path('A text file in this folder or below it.') }, closed),
        ],
        { description: 'Markdown.' },
      ),
    ),
    poster: Type.Optional(path('A picture in this folder or below it. Without it, the poster on the platform does not change.')),
    starts: Type.Optional(instant('If it is absent, the time that the platform has stored does not change.')),
    ends: Type.Optional(instant('If it is absent, the time that the platform has stored does not change.')),
    practice: Type.Optional(Type.Boolean({ default: true, description: 'Challenges remain open after the end.' })),
    acceptWithoutReview: Type.Optional(Type.Boolean({ default: false, description: 'Teams can play as soon as they join.' })),
    inviteCode: Type.Optional(secret({ minLength: 1, maxLength: Limits.maxGameCodeLength }, 'Invitation code for teams.')),
    divisions: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ ...notEmpty, maxLength: InputLimits.maxDivisionNameLength }),
            inviteCode: Type.Optional(
              secret(
                { minLength: Limits.minDivisionCodeLength, maxLength: Limits.maxDivisionCodeLength },
                'Code that teams need to join this division.',
              ),
            ),
            rights: Type.Optional(
              rights(
                Object.keys(divisionRights) as DivisionRight[],
                'What teams of the division may do, and what their solves count for. If it is absent, the rights that the platform has stored do not change.',
              ),
            ),
            challenges: Type.Optional(
              Type.Record(
                Type.String({ pattern: sourceNamePattern }),
                rights(challengeRights, 'Rights for this challenge, instead of `rights`.'),
                {
                  ...closed,
                  maxProperties: InputLimits.maxDivisionChallenges,
                  description: 'Rights for single challenges, by the `name` of the challenge.',
                },
              ),
            ),
          },
          closed,
        ),
        { maxItems: InputLimits.maxDivisions, description: 'Groups of teams with separate rankings.' },
      ),
    ),
    certificate: Type.Optional(
      Type.Object(
        {
          enabled: Type.Optional(
            Type.Boolean({ default: false, description: 'Players can download certificates after the end of the game.' }),
          ),
          title: CertificateWrite.properties.title,
          text: CertificateWrite.properties.text,
          participationText: CertificateWrite.properties.participationText,
          signer: Type.Optional(withSchemaOptions(CertificateWrite.properties.signer, { default: '' })),
          paper: Type.Optional(withSchemaOptions(CertificatePaper, { default: 'A4' })),
          orientation: Type.Optional(withSchemaOptions(CertificateOrientation, { default: 'landscape' })),
          language: Type.Optional(withSchemaOptions(CertificateWrite.properties.language, { default: defaultLanguage })),
        },
        {
          ...closed,
          description:
            'Template of the certificates. Its pictures are uploaded in the browser. Without it, the template on the platform does not change.',
        },
      ),
    ),
    survey: Type.Optional(
      withSchemaOptions(SurveyMode, {
        description:
          'Survey after the end. Named: organizers see who answered. Anonymous: no stored answer contains its author. Without it, the survey on the platform does not change.',
      }),
    ),
    freeze: Type.Optional(instant('From this time on, the scoreboard shows players nothing new until an organizer reveals it.')),
    registration: Type.Optional(
      Type.Object(
        {
          opens: Type.Optional(instant('Teams can join from this time on.')),
          closes: Type.Optional(instant('Joining is refused from this time on.')),
          teams: Type.Optional(
            Type.Integer({
              ...positive,
              maximum: InputLimits.maxInt32,
              description: 'Maximum number of teams. Others wait in the order of their registration.',
            }),
          ),
        },
        { ...closed, description: 'Limits of registration. Each missing field means no limit.' },
      ),
    ),
    questions: Type.Optional(
      Type.Array(
        Type.Object(
          {
            scope: Type.Optional(
              withSchemaOptions(QuestionScope, {
                default: 'Member',
                description: 'Team: answered once, by the captain. Member: answered by each member.',
              }),
            ),
            kind: Type.Optional(withSchemaOptions(QuestionKind, { default: 'ShortText', description: 'Form of the answer.' })),
            title: Type.String({
              ...notEmpty,
              maxLength: InputLimits.maxTitleLength,
              description: 'The question. A changed text counts as a new question.',
            }),
            help: Type.Optional(
              Type.String({ maxLength: Limits.maxQuestionHelpLength, description: 'Text below the question.' }),
            ),
            required: Type.Optional(Type.Boolean({ default: false })),
            options: Type.Optional(
              Type.Array(Type.String({ ...notEmpty, maxLength: Limits.maxShortAnswerLength }), {
                maxItems: Limits.maxQuestionOptions,
                description: 'Options of `Choice` and `Choices`.',
              }),
            ),
          },
          closed,
        ),
        { maxItems: Limits.maxQuestions, description: 'Questions that players answer when they join.' },
      ),
    ),
    teamSize: Type.Optional(
      Type.Integer({
        ...notNegative,
        maximum: InputLimits.maxInt32,
        default: 0,
        description: 'Maximum number of members; 0 = no limit.',
      }),
    ),
    instancesPerTeam: Type.Optional(
      Type.Integer({
        ...notNegative,
        maximum: InputLimits.maxInt32,
        default: Defaults.instancesPerTeam,
        description: 'Maximum number at a time; 0 = no limit.',
      }),
    ),
    writeups: Type.Optional(
      Type.Object(
        {
          required: Type.Optional(Type.Boolean({ default: false })),
          deadline: Type.Optional(instant('Defaults to the end of the game.')),
          note: Type.Optional(Type.String({ maxLength: InputLimits.maxLongTextLength, description: 'Markdown.' })),
        },
        closed,
      ),
    ),
    bloodBonus: Type.Optional(
      Type.Object(
        {
          first: percent('For the first team that solves a challenge.'),
          second: percent('For the second team that solves a challenge.'),
          third: percent('For the third team that solves a challenge.'),
        },
        { ...closed, description: 'Bonuses in percent; a missing one is 0. Without this field they are 5, 3 and 1.' },
      ),
    ),
    bloodPoints: Type.Optional(
      Type.Object(
        {
          first: bonusPoints('For the first team that solves a challenge.'),
          second: bonusPoints('For the second team that solves a challenge.'),
          third: bonusPoints('For the third team that solves a challenge.'),
        },
        { ...closed, description: 'Bonuses in points; a missing one is 0. They replace `bloodBonus`.' },
      ),
    ),
    allowsDebt: Type.Optional(
      Type.Boolean({ default: false, description: 'True if hints may lower the score of a team below 0.' }),
    ),
  },
  { ...closed, title: 'Game', description: 'A game of Capstan.' },
)
export type GameFile = Static<typeof GameFile>
