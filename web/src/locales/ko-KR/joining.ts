/** Joining a game and leaving it. */
export default {
  join: {
    title: '{{game}} 참가',
    again: '{{game}} 다시 신청',
    text: '승인되면 팀이 잠깁니다. 대회가 끝날 때까지 아무도 내보낼 수 없습니다.',
    team: '팀',
    teamPlaceholder: '팀 선택',
    teamHint: '팀원 중 최대 {{count}}명이 참가할 수 있습니다.',
    teamMissing: '참가할 팀을 선택하세요',
    teamName: '팀 이름',
    teamNameHint: '팀장이 되며 나중에 다른 사람을 초대할 수 있습니다.',
    division: '부문',
    divisionPlaceholder: '부문 선택',
    divisionMissing: '부문을 선택하세요',
    codeOfGame: '대회 초대 코드',
    codeOfDivision: '{{division}} 부문 초대 코드',
    codeHint: '운영진에게 받으세요.',
    codeMissing: '초대 코드를 입력하세요',
    submit: '대회 참가',
    done: '참가했습니다',
  },
  leave: {
    title: '{{game}} 참가를 취소할까요?',
    text: '나중에 다시 참가할 수 있습니다. 이 대회에서 팀의 마지막 사람이라면 팀의 신청도 취소됩니다.',
    confirm: '참가 취소',
    done: '{{game}} 참가를 취소했습니다',
  },
} as const
