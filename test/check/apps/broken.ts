throw new Error('This app\u001b cannot be\nloaded')
