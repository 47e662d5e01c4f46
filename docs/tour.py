# %% [markdown]
# # A tour of raters
# From a table of labels to what one can say about it. Every cell runs as it stands; the data are simulated and bundled.

# %%
import raters
from raters import examples

ann = examples.demo()
print(ann)

# %% [markdown]
# ## How reliable is one label?

# %%
table = raters.agreement_table(ann, ["krippendorff", "fleiss", "gwet", "percent"])
print(table)

# %%
table.plot()

# %% [markdown]
# ## Why is it not higher?

# %%
print(raters.explain(ann).sentence)

# %%
raters.per_rater(ann).plot()

# %% [markdown]
# ## How reliable is the majority that we use, and how many labels do we need?

# %%
raters.krr_curve(ann).plot()

# %%
print(raters.plan(ann, target=0.8))

# %% [markdown]
# ## Which labels are settled, and what should be labelled next?

# %%
consensus = raters.consensus(ann)
print(consensus.choice)
print(list(consensus.labels.items())[:5])

# %%
consensus.plot()

# %% [markdown]
# ## Everything in one file

# %%
report = raters.report(ann)
print(repr(report))
