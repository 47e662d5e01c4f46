"""What is said of how a table was read."""

from raters.notes.sentence import Sentence

SCALES: dict[str, Sentence] = {
    "scale_given": Sentence("given", "detail"),
    "scale_of_ordered_column": Sentence("the categories of the column are ordered", "assumed"),
    "scale_of_text": Sentence("labels are text", "assumed"),
    "scale_of_mixed_labels": Sentence("numbers and text mixed", "assumed"),
    "scale_of_truth_values": Sentence("labels are true and false", "assumed"),
    "scale_by_position": Sentence("labels are known only by position", "assumed"),
    "scale_of_0_and_1": Sentence("labels are 0 and 1", "assumed"),
    "scale_of_whole_numbers": Sentence("{n:distinct whole number}", "assumed"),
    "scale_of_numbers": Sentence("{n:distinct number}", "assumed"),
    "confirm_scale": Sentence(
        "{source}: {why} were read as an {scale} scale. Pass <scale={scale}> to confirm, or <scale=nominal> if the"
        " numbers are only codes",
        "assumed",
    ),
    "change_scale": Sentence("to change it, pass <scale={scale}> or another", "assumed"),
    "scale_changes": Sentence("{why}; <scale> changes it", "assumed"),
    "scale_assumed": Sentence("Scale assumed: {scale} ({why}); <scale> changes it", "assumed"),
    "whole_numbers_as_scale": Sentence(
        "{n} whole numbers were read as {scale}; if they are codes, pass <scale=nominal>",
        "assumed",
    ),
    "whole_numbers_either_way": Sentence(
        "{n} whole numbers were read as {scale} (Krippendorff's alpha {alpha}; as codes, {nominal}); pass"
        " <scale=nominal> if they are only codes",
        "assumed",
    ),
}
"""Why a table has its scale, and how to change it."""
LABELS: dict[str, Sentence] = {
    "looks_missing": Sentence(
        "{label:quoted} counts as a label ({n:annotation}); pass <missing=[{label}]> if it marks a missing label",
        "assumed",
    ),
    "code_of_missing": Sentence(
        "label {label} is far from the others ({n:annotation}), like a code for a missing answer; pass"
        " <missing=[{label}]> if it is one",
        "assumed",
        decisive=True,
    ),
    "ordered_words": Sentence(
        "the labels look ordered, but no order was used; to use it, pass <scale=ordinal> <labels={labels}>",
        "assumed",
    ),
    "several_labels_in_a_cell": Sentence(
        "{n} labels, such as {label:quoted}, look like several labels in one cell; pass <scale=sets> <sep={sep}> to"
        " read them as sets",
        "assumed",
        decisive=True,
    ),
    "labels_by_case": Sentence(
        "labels differ only by case: {labels:groups}; they were kept apart; write them alike if they are the same",
        "assumed",
    ),
    "labels_by_unseen": Sentence(
        "labels {labels:groups} differ only by characters that cannot be seen, and were kept apart; type them again"
        " alike if they are the same",
        "assumed",
    ),
    "labels_by_number": Sentence(
        "labels {labels:groups} write the same number in different ways, and were kept apart as text; write them alike"
        " if they are the same",
        "assumed",
    ),
    "labels_by_code": Sentence(
        "labels {labels:groups} look like a code with and without its words, and were kept apart; write them alike if"
        " they are the same",
        "assumed",
    ),
    "labels_mixed": Sentence(
        "labels mix numbers (such as {number:quoted}) and text (such as {text:quoted}), and were read as text; pass"
        " <missing=[{text}]> if that marks a missing label",
        "assumed",
    ),
    "labels_too_long": Sentence(
        "labels such as {label} are too long to be exact as numbers, and were read as text", "assumed"
    ),
    "leading_zeros": Sentence(
        "labels such as {label:quoted} were read as numbers, so leading zeros are ignored", "assumed"
    ),
    "spaces_removed": Sentence(
        "spaces around the label were removed in {n:annotation} (such as {label:quoted})", "detail"
    ),
    "forms_of_unicode": Sentence(
        "{n:annotation} had labels with the same letters in a different Unicode form (such as {label:quoted}), which"
        " were read as the same label",
        "detail",
    ),
    "label_in_missing": Sentence("label given as missing", "detail"),
}
"""Labels, as they were kept."""
NAMES: dict[str, Sentence] = {
    "raters_by_case": Sentence(
        "raters {raters:groups} differ only by spaces or letter case and are read as different raters; write them alike"
        " if they are the same",
        "assumed",
    ),
    "items_by_case": Sentence(
        "items {items:groups} differ only by spaces or letter case and are read as different items; write them alike if"
        " they are the same",
        "assumed",
    ),
    "raters_by_unseen": Sentence(
        "raters {raters:groups} differ only by characters that cannot be seen and are read as different raters; type"
        " them again alike if they are the same",
        "assumed",
    ),
    "items_by_unseen": Sentence(
        "items {items:groups} differ only by characters that cannot be seen and are read as different items; type them"
        " again alike if they are the same",
        "assumed",
    ),
    "column_renamed": Sentence("column {column!r} of the source is renamed {name!r} here", "detail"),
    "column_mixes": Sentence(
        "column {column!r} mixes numbers (such as {number:quoted}) and text (such as {text:quoted}), and was read as"
        " text; pass <missing=[{text}]> if that marks a missing value",
        "assumed",
    ),
    "column_mixes_truth": Sentence(
        "column {column!r} mixes true and false (such as {truth:quoted}) and numbers (such as {number:quoted}), which"
        " were read as different labels; pass <labels=[0, 1]> or <labels=[False, True]> if they mean the same",
        "assumed",
    ),
    "columns_mix": Sentence("columns {columns:listed} mix numbers and text, and were read as text", "assumed"),
    "column_of_long_numbers": Sentence(
        "column {column:quoted} holds numbers as long as {number}, and was read as text", "assumed"
    ),
    "column_of_percentages": Sentence(
        "column {column!r} holds percentages (such as 10%), which were read as the numbers before the sign", "assumed"
    ),
    "column_of_thousands": Sentence(
        "column {column!r} has numbers such as 1,234, in which the comma may mark thousands or decimals, so they were"
        " read as text; remove the comma if they are numbers",
        "assumed",
    ),
    "column_of_decimal_commas": Sentence(
        "column {column!r} has decimal commas (such as 3,5), which were read as decimal points", "assumed"
    ),
    "columns_of_decimal_commas": Sentence(
        "columns {columns:listed 4} have decimal commas (such as 3,5), which were read as decimal points", "assumed"
    ),
    "column_partly_labelled": Sentence(
        "column {column!r}: only some of its values have labels in the file, so the values were kept", "assumed"
    ),
    "items_named_elsewhere": Sentence("items are named by column {column!r}, as in {source}", "assumed"),
    "one_rater_of_file": Sentence(
        "no column names the raters, so all labels are treated as those of one rater, named {rater!r} after the file",
        "assumed",
    ),
    "repeats": Sentence(
        "{n:annotation} by a rater who had labelled the item before (first: item {item!r}, rater {rater!r});"
        " <duplicates={duplicates}>"
    ),
    "raters_merged": Sentence(
        "{n} values of column {column!r} that fewer than {least} raters share were merged", "detail"
    ),
}
"""Names of raters, items and columns, and what columns hold."""
FILES: dict[str, Sentence] = {
    "encoding_marked": Sentence("the text is {encoding}, as its first bytes indicate", "assumed"),
    "encoding_assumed": Sentence(
        "the text is not UTF-8 and was read as {encoding}; to change it: <encoding=...>", "assumed"
    ),
    "quotes_are_text": Sentence(
        "quotes are part of the text in this file, whose lines all have as many fields as the header", "assumed"
    ),
    "header_repeated": Sentence("{n:row} left out that {n:repeats|repeat} the header", "assumed"),
    "rows_above": Sentence("{n:row} above the table skipped", "assumed"),
    "no_header": Sentence(
        "no header: the first row looks like the rows below it, so columns are named {columns:listed 3}; if it does"
        " hold names, pass <header=1>",
        "assumed",
    ),
    "header_described": Sentence(
        "the second row describes the columns and was skipped; if it holds labels, pass <header=1>", "assumed"
    ),
    "header_explained": Sentence("{n:row} under the names that explain the columns skipped", "assumed"),
    "header_of_two_rows": Sentence(
        "names were joined from two rows of headers; if the second holds labels, pass <header=1>", "assumed"
    ),
    "first_row_is_header": Sentence(
        "the first row was read as a header, not as labels; add a header above it if it is not one", "assumed"
    ),
    "one_total": Sentence("the last row ({rows:listed}) summarises the others and was omitted", "assumed"),
    "totals": Sentence("the last {n} rows ({rows:listed}) summarise the others and were omitted", "assumed"),
    "sheet_read": Sentence(
        "read from sheet {sheet!r}; other sheets with rows: {others:listed} (choose one with <sheet>)", "assumed"
    ),
    "sheets_read": Sentence(
        "sheets {sheets:listed 6} have the same columns and were read together; other sheets: {others:listed}",
        "assumed",
    ),
    "sheets_are_raters": Sentence(
        "one sheet for each rater, each with the same columns: {raters:listed 6}; to read one alone: <sheet>", "assumed"
    ),
    "json_by_rater": Sentence("read as labels by item by rater: {{rater: {{item: label}}}}", "assumed"),
    "json_by_item": Sentence("read as labels by item: {{item: label}}", "assumed"),
    "files_make_one": Sentence("{n:,} files make one table", "detail"),
    "files_are_raters": Sentence("the files name no rater, so each file is a rater ({n:,} of them)", "assumed"),
    "same_rater_in_files": Sentence(
        "every file names the same rater, {rater!r}, so the file names identify the raters", "assumed"
    ),
    "joined_by_content": Sentence(
        "items of {files} files joined by content: {shared:,} shared as written, of {n:,} items in all", "detail"
    ),
    "joined_by_text": Sentence(
        "the files number their items differently, so items were matched by what they show: {shared:,} of {n:,} are in"
        " several files",
        "assumed",
    ),
    "joined_without_prefixes": Sentence(
        "items of {files} files joined by content: {shared:,} shared as written, {after:,} after upload prefixes were"
        " removed, of {n:,} items in all",
        "detail",
    ),
    "joined_by_name": Sentence("items of several files joined by their names: {shared:,} shared of {n:,}", "assumed"),
    "folds_by_position": Sentence(
        "items are known only by position, so it cannot be determined whether folds share items; each counts as a"
        " separate item",
        "detail",
    ),
    "folds_share_items": Sentence(
        "items are in more than one fold (about {share:.0%} of them, by a sample): each counts as a separate item in"
        " each fold, and its labels there are not compared with those in the others. Fold by item, or read the tables"
        " themselves",
        "assumed",
    ),
    "folds_share_few_items": Sentence(
        "items are in more than one fold (about under 1% of them, by a sample): each counts as a separate item in each"
        " fold, and its labels there are not compared with those in the others. Fold by item, or read the tables"
        " themselves",
        "assumed",
    ),
}
"""Files, and how several become one table."""
SETS: dict[str, Sentence] = {
    "sets_from_lists": Sentence("sets were read from a list column", "detail"),
    "sets_from_text": Sentence("sets were read from lists written as text (JSON)", "detail"),
    "sets_separated": Sentence("sets were read from text separated by {sep!r}", "detail"),
    "sets_of_one": Sentence("sets were read from one label in each cell, each a set of one", "detail"),
    "sets_from_rows": Sentence("sets were read from several rows per item and rater, a label in each", "detail"),
    "sets_one_hot": Sentence("sets were read from one-hot columns {columns:listed 4}", "detail"),
    "sets_from_marks": Sentence("sets were read from columns of marks, raters {raters:listed 6}", "detail"),
    "separator_absent": Sentence("the separator {sep!r} occurs in no cell, so every set has one label", "assumed"),
    "label_twice": Sentence("a label given twice in one set counts once", "detail"),
    "cells_look_like_sets": Sentence(
        "cells such as {cell:quoted} look like several labels; pass <sep={sep}> if they are", "assumed", decisive=True
    ),
    "sets_of_one_how": Sentence(
        "pass <sep=;> if cells hold several labels, or <multi=rows> if each row holds one label of a set", "assumed"
    ),
    "rows_look_like_sets": Sentence(
        "a rater labelled an item in several rows; pass <multi=rows> if each row is one label of a set",
        "assumed",
        decisive=True,
    ),
    "order_kept": Sentence("the order of labels in a set was kept, primary first", "detail"),
    "ticked_several": Sentence(
        "{n:,} times a rater ticked several labels of an item; these annotations were dropped", "assumed"
    ),
}
"""Sets of labels."""
LAYOUTS: dict[str, Sentence] = {
    "column_per_rater": Sentence("read as one column per rater: {raters:listed 6}", "assumed"),
    "items_named_by": Sentence("items named by column {column!r}", "assumed"),
    "items_named_together": Sentence("items named by columns {first!r} and {second!r} together", "assumed"),
    "one_item_a_row": Sentence("one item a row", "assumed"),
    "not_raters": Sentence("not raters: {columns:listed 12}", "assumed"),
    "to_read_other_columns": Sentence("to read other columns: <rater={names}>", "assumed"),
    "counted_rows": Sentence("each row is counted as often as column {column!r} says", "assumed"),
    "rows_of_value": Sentence("only rows with {question!r} in column {column!r} were read", "assumed"),
    "counts_in_cells": Sentence(
        "read as how often each label was given in each cell of column {column!r} ({labels:listed 6}), since the numbers"
        " of a cell add up to the same; raters without names",
        "assumed",
    ),
    "raters_in_cells": Sentence(
        "read as the labels of several raters in each cell of column {column!r}, raters named in the cells"
        " ({raters:listed 6})",
        "assumed",
    ),
    "raters_in_column": Sentence(
        "read as the labels of several raters in each cell of column {column!r}, raters named in column {other!r}",
        "assumed",
    ),
    "raters_without_names": Sentence(
        "read as the labels of several raters in each cell of column {column!r}, raters without names", "assumed"
    ),
    "to_read_as_sets": Sentence("to read a cell as one set of labels: <scale=sets> <label={column}>", "assumed"),
    "counts_of_labels": Sentence(
        "read as counts of the labels {labels:listed 6} for each item; to read the columns as raters: <layout=wide>"
        " <rater={columns}>",
        "assumed",
    ),
    "square_table": Sentence(
        "read as a square table of two raters, because rows and columns have the same names; to name the raters:"
        " <rater=ann,bob>",
        "assumed",
    ),
    "raters_in_rows": Sentence(
        "read with raters in rows, named by column {column!r}, and {n} items in columns ({columns:listed 4})", "assumed"
    ),
    "not_items": Sentence("not items: {columns:listed 4}", "assumed"),
    "to_read_as_raters": Sentence("to read the columns as raters: <layout=wide> <rater={columns}>", "assumed"),
    "question_per_rater": Sentence(
        "one column per question and rater, such as {names[0]!r}; raters {raters:listed 6}", "assumed"
    ),
    "row_per_annotation": Sentence(
        "read as one row per annotation, because columns {item!r} and {who!r} together identify each row; to change it:"
        " <item={item}> <rater={who}> <label={label}>",
        "assumed",
    ),
    "rows_without_raters": Sentence(
        "read as one row per annotation of the items in column {item!r}, raters without names", "assumed"
    ),
    "items_in_turn": Sentence(
        "every rater has the same {item!r} in the same order, some several times, so an item is a row of each rater",
        "assumed",
    ),
    "not_used": Sentence("not read: {columns:listed 20}", "assumed"),
    "labels_from": Sentence("labels from column {column!r}", "assumed"),
    "marks_per_rater": Sentence(
        "read as one column of marks for each rater and label: raters {raters:listed 6}, labels {labels:listed 6}; to"
        " read them otherwise: <layout=wide> <rater={names}>",
        "assumed",
    ),
}
"""What a table was recognised as."""
EXPORTS: dict[str, Sentence] = {
    "export": Sentence("read as an export of {tool}", "assumed"),
    "export_by_documentation": Sentence("read as an export of {tool}, by its documentation alone", "assumed"),
    "question_of_several": Sentence("question {question!r} of {n}; the others are {others:listed}", "assumed"),
    "free_text": Sentence(
        "the answers are free text, so two raters agree only if they wrote exactly the same; agreement is of little use"
        " here",
        "assumed",
    ),
    "spans_skipped": Sentence(
        "{n:,} spans, regions or relations were skipped; agreement compares labels of whole items", "assumed"
    ),
    "units_beside_labels": Sentence(
        "{n:,} spans were marked beside these labels; to read them: <question={question}>", "assumed"
    ),
    "option_texts": Sentence("labels are the texts of the options, which the answers only number", "detail"),
    "few_items_shared": Sentence(
        "only {shared:,} of {n:,} items have labels of two or more raters: agreement is known only for these", "assumed"
    ),
    "too_few_items_shared": Sentence(
        "only {shared:,} of {n:,} items have labels of two or more raters: too few to conclude anything about agreement"
        " on the others",
        "assumed",
    ),
    "rows_excluded": Sentence("to include rows that are excluded for a reason, pass <keep={keep}>", "detail"),
    "questions_guessed": Sentence(
        "a CSV does not show which columns are questions, so those that differ between annotators or have few distinct"
        " values were used",
        "assumed",
    ),
    "filters_are_raters": Sentence("filters are the raters, and metrics are the questions", "assumed"),
    "runs_are_raters": Sentence("each of the {n:,} runs is a rater, because they judged the same items", "assumed"),
    "columns_passed": Sentence("columns that hold no scores were kept beside them: {columns:listed 6}", "assumed"),
    "sources_are_raters": Sentence(
        "{n:,} scores name no author, so their source (ANNOTATION, EVAL, API) counts as the rater", "assumed"
    ),
    "services_are_raters": Sentence(
        "the event names no rater, so the service that sent it counts as the rater", "assumed"
    ),
    "appen_questions": Sentence(
        "questions are the columns that differ within a unit or have a matching {suffix} column", "assumed"
    ),
    "prodigy_tasks": Sentence("one input has several tasks, so the item is the task (_task_hash)", "assumed"),
    "log_unfinished": Sentence(
        "{file} has the status {status!r}, so it may contain only part of the samples", "assumed"
    ),
    "drafts_unknown": Sentence(
        "the responses have no status, so drafts and discarded ones cannot be told from those that were submitted",
        "assumed",
    ),
    "doccano_numbers": Sentence("labels are numbers, because doccano before 1.0 did not export label names", "assumed"),
    "mturk_items": Sentence(
        "each HIT shows {n} numbered items; the item is the HIT together with that number", "assumed"
    ),
    "survey_columns": Sentence("respondents are the raters, and columns of the survey are the items", "assumed"),
    "pair_orders": Sentence(
        "the two orders of a pair are two raters: if they disagree, the verdict depends on the position of the answer",
        "assumed",
    ),
    "assertions": Sentence(
        "each assertion counts as a rater of the output; a thumbs up or down in the web viewer is the rater 'human'",
        "assumed",
    ),
}
"""Exports of labelling tools."""
READING: dict[str, Sentence] = {**SCALES, **LABELS, **NAMES, **FILES, **SETS, **LAYOUTS, **EXPORTS}
