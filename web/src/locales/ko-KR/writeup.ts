/** A team's writeup: its state and the upload. */
export default {
  writeup: {
    title: '라이트업',
    text: '팀이 문제를 푼 방법을 PDF 하나에 적으세요. 팀원 누구나 제출할 수 있으며 새 파일이 이전 파일을 대신합니다.',
    instructions: '운영진의 안내',
    submitted: '제출함',
    missing: '아직 제출하지 않음',
    file: '파일',
    deadline: '기한',
    left: '남음',
    deadlineUnknown: '운영진이 정합니다. 늦은 파일은 받지 않습니다.',
    over: '제출 기한이 지났습니다',
    overMissing: '라이트업을 제출하지 않았습니다. 아직 필요한지 운영진에게 문의하세요.',
    drop: 'PDF를 여기에 놓거나 선택하세요',
    replace: '바꿀 새 PDF를 여기에 놓거나 선택하세요',
    hint: '20MB 미만의 PDF 하나',
    unfit: '파일을 불러오지 못했습니다. 형식과 크기를 확인하세요',
    sending: '{{name}} 업로드 중',
    cancel: '취소',
    done: '라이트업을 제출했습니다',
    failed: '라이트업 상태를 불러오지 못했습니다',
  },
} as const
