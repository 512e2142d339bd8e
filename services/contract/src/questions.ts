import { type Static, Type } from 'typebox'
import { additive, nullable, stringEnum, Uuid } from './kit.ts'
import { InputLimits, Limits, notEmpty } from './limits.ts'
import { questionKinds, questionScopes } from './vocabulary.ts'

export const QuestionScope = stringEnum(questionScopes, {
  description: 'Team: answered once, by the captain. Member: answered by each member who joins.',
})

export const QuestionKind = stringEnum(questionKinds, { description: 'Form of the answer.' })

const texts = {
  title: Type.String({ ...notEmpty, maxLength: InputLimits.maxTitleLength }),
  help: Type.String({ maxLength: Limits.maxQuestionHelpLength, description: 'Plain text below the title.' }),
  required: Type.Boolean(),
  options: Type.Array(Type.String({ ...notEmpty, maxLength: Limits.maxShortAnswerLength }), {
    maxItems: Limits.maxQuestionOptions,
    description: 'Options of `Choice` and `Choices` in order. Empty for other kinds.',
  }),
}

/** Question that players answer when they register for a game. */
export const Question = Type.Object({ id: Uuid, scope: QuestionScope, kind: QuestionKind, ...texts }, { title: 'Question' })
export type Question = Static<typeof Question>

/** Registration question as organizers see it. */
export const EditedQuestion = Type.Object(
  {
    id: Uuid,
    scope: QuestionScope,
    kind: QuestionKind,
    ...texts,
    archived: Type.Boolean({ description: 'True if the question was removed after it had been answered.' }),
  },
  { title: 'EditedQuestion' },
)
export type EditedQuestion = Static<typeof EditedQuestion>

/** Question in a request that replaces the questions of a game. */
export const QuestionWrite = Type.Object(
  {
    id: Type.Optional(
      nullable(Uuid, {
        description: 'Without an id, the call changes the question with the same scope, kind and title, or adds a question.',
      }),
    ),
    scope: QuestionScope,
    kind: QuestionKind,
    title: texts.title,
    help: Type.Optional(texts.help),
    required: Type.Optional(texts.required),
    options: Type.Optional(texts.options),
    archived: Type.Optional(Type.Boolean()),
  },
  { title: 'QuestionWrite' },
)
export type QuestionWrite = Static<typeof QuestionWrite>

/** List that replaces the questions of a game. */
export const QuestionList = Type.Array(QuestionWrite, {
  ...additive,
  maxItems: Limits.maxQuestions,
  description:
    'Replaces the questions. A missing question is archived if it has answers, and deleted if it has none. Absent: unchanged.',
})

export const AnswerFile = Type.Object(
  { id: Uuid, name: Type.String(), sizeBytes: Type.Integer({ format: 'int64' }) },
  { title: 'AnswerFile' },
)
export type AnswerFile = Static<typeof AnswerFile>

export const Answer = Type.Object(
  {
    questionId: Uuid,
    values: Type.Array(Type.String(), { description: 'The text, the chosen options, or `yes` for a given consent.' }),
    file: nullable(AnswerFile),
  },
  { title: 'Answer' },
)
export type Answer = Static<typeof Answer>

export const AnswerWrite = Type.Object(
  {
    questionId: Uuid,
    values: Type.Optional(
      Type.Array(Type.String({ maxLength: Limits.maxLongAnswerLength }), { maxItems: Limits.maxQuestionOptions }),
    ),
    fileId: Type.Optional(nullable(Uuid, { description: 'Id of an uploaded file.' })),
  },
  { title: 'AnswerWrite' },
)
export type AnswerWrite = Static<typeof AnswerWrite>

const AnswerList = Type.Array(AnswerWrite, { maxItems: Limits.maxQuestions })

/** Answers in a request to join. */
export const JoinAnswers = Type.Optional(
  Type.Array(AnswerWrite, {
    ...additive,
    maxItems: Limits.maxQuestions,
    description: 'With this field, all required questions that the caller may answer need an answer.',
  }),
)

export const AnswersWrite = Type.Object({ answers: AnswerList }, { title: 'AnswersWrite' })
export type AnswersWrite = Static<typeof AnswersWrite>

/** Questions of the registration with the answers that the caller may read. */
export const RegistrationForm = Type.Object(
  {
    questions: Type.Array(Question),
    answers: Type.Array(Answer, { description: 'Own answers, and those of the team if the caller is its captain.' }),
    missing: Type.Array(Uuid, { description: 'Required questions that the caller has not answered. Empty before joining.' }),
    isCaptain: Type.Boolean({ description: "True if the caller is the captain of the caller's team in the game." }),
    isOpen: Type.Boolean({ description: 'True if given answers can be changed.' }),
  },
  { title: 'RegistrationForm' },
)
export type RegistrationForm = Static<typeof RegistrationForm>

/** Answers of a team and of its members, for organizers. */
export const TeamAnswers = Type.Object(
  {
    questions: Type.Array(EditedQuestion),
    answers: Type.Array(Answer, { description: 'Answers for the team.' }),
    missing: Type.Array(Uuid, { description: 'Required questions for the team that have no answer.' }),
    members: Type.Array(
      Type.Object({
        userId: Uuid,
        userName: Type.String(),
        answers: Type.Array(Answer),
        missing: Type.Array(Uuid),
      }),
      { description: 'Members who joined the game.' },
    ),
  },
  { title: 'TeamAnswers' },
)
export type TeamAnswers = Static<typeof TeamAnswers>
